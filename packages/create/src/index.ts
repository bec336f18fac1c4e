export * as Project from "./Project.ts"
export * as Template from "./Template.ts"
