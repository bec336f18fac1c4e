import { storageLaws } from "@crossdock/storage-laws"
import { StorageMemory } from "@crossdock/storage-memory"

storageLaws("memory", StorageMemory.layer)
