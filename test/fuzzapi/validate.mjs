// A second opinion, by programs that share nothing with those of the service: is
// the document OpenAPI, and are answers what it says? stdin: {document, answers:
// [{place, body}]}, where place is the JSON pointer of the schema that the body is
// held against. stdout: {version, document: […], answers: {"index": […]}}, the faults.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(process.env.MODULES + '/')
const { Validator } = await import(pathToFileURL(process.env.MODULES + '/@seriousme/openapi-schema-validator/index.js'))
const Ajv = require(process.env.MODULES + '/ajv/dist/2020').default
const addFormats = require(process.env.MODULES + '/ajv-formats').default

const { document, answers } = JSON.parse(readFileSync(0))
const validator = new Validator()
const said = await validator.validate(structuredClone(document))

// Formats of OpenAPI that JSON Schema leaves open say nothing about text.
const ajv = addFormats(new Ajv({ strict: false, allErrors: true, validateFormats: true, logger: false }))
const at = 'http://document.invalid/openapi.json'
ajv.addSchema(document, at)
const wrong = {}
answers.forEach(({ place, body }, i) => {
  const check = ajv.getSchema(at + place)
  if (!check) wrong[i] = ['there is no schema']
  else if (!check(body)) wrong[i] = check.errors.map((e) => `${e.instancePath} ${e.message}`)
})
console.log(JSON.stringify({ version: validator.version, document: said.valid ? [] : [].concat(said.errors), answers: wrong }))
