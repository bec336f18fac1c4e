/**
 * Authorities and what they sign, made by openssl in a folder.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

export interface Signed {
  readonly certificate: string
  readonly key: string
}

const openssl = (...args: ReadonlyArray<string>) => execFileSync("openssl", [...args], { stdio: "pipe" })

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"] as const

/** An authority of its own; `sign` makes a certificate for a name. */
export const authority = (folder: string, name: string) => {
  const path = (file: string) => join(folder, `${name}-${file}.pem`)
  const [certificate, key] = [path("authority"), path("authority-key")]
  const facts = ["-days", "2", "-addext", "basicConstraints=critical,CA:TRUE"]
  openssl("req", "-x509", ...newKey, "-keyout", key, "-out", certificate, "-subj", `/CN=${name}`, ...facts)
  const sign = (subject: string): Signed => {
    const [request, extensions] = [path(`${subject}-request`), path(`${subject}-extensions`)]
    const signed = { certificate: path(subject), key: path(`${subject}-key`) }
    writeFileSync(extensions, `subjectAltName=DNS:${subject}\n`)
    openssl("req", ...newKey, "-keyout", signed.key, "-out", request, "-subj", `/CN=${subject}`)
    const signer = ["-CA", certificate, "-CAkey", key, "-CAcreateserial", "-days", "2", "-extfile", extensions]
    openssl("x509", "-req", "-in", request, "-out", signed.certificate, ...signer)
    return signed
  }
  return { certificate, sign }
}
