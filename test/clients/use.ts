// A program in TypeScript on types that were generated from the OpenAPI document:
// it creates a test in the sandbox, waits for it, reads its report and walks lists.
// stdout: what it has seen, as JSON.
import createClient from 'openapi-fetch'
import type { components, paths } from './api.js'

type Test = components['schemas']['Test']

const { BASE, KEY } = process.env
if (!BASE || !KEY) throw new Error('BASE and KEY are missing')
// Reports come in several forms; this program takes JSON.
const api = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl: BASE, headers: { Authorization: `Bearer ${KEY}` } })

// got is what an answer holds, or an error with the problem's code.
function got<T>({ data, error, response }: { data?: T; error?: { code: string; detail: string }; response: Response }): T {
  if (data === undefined) throw new Error(`${response.status} ${error?.code}: ${error?.detail}`)
  return data
}

async function ended(id: string): Promise<Test> {
  for (;;) {
    const test = got(await api.GET('/tests/{id}', { params: { path: { id } } }))
    if (test.status !== 'running') return test
    await new Promise((again) => setTimeout(again, 50))
  }
}

const made: string[] = []
for (const name of ['one', 'two', 'three']) {
  const body = { url: 'https://shop.example.com/', task: 'Sign up for the newsletter', sessions: 2, seed: 7, name }
  const key = { header: { 'Idempotency-Key': `typescript-${name}` } }
  const test = got(await api.POST('/tests', { params: key, body }))
  const again = got(await api.POST('/tests', { params: key, body }))
  if (again.id !== test.id) throw new Error('the same Idempotency-Key has made two tests')
  made.push(test.id)
}
const tests = await Promise.all(made.map(ended))
const report = got(await api.GET('/tests/{id}/report', { params: { path: { id: made[0]! } } }))

const listed: string[] = []
for (let cursor: string | undefined; ; ) {
  const page = got(await api.GET('/tests', { params: { query: { limit: 1, ...(cursor === undefined ? {} : { cursor }) } } }))
  listed.push(...page.data.map((test) => test.id))
  if (page.next_cursor === null || page.next_cursor === undefined) break
  cursor = page.next_cursor
}
const refused = await api.GET('/tests/{id}', { params: { path: { id: 'test_01kaj8h2v4e6tvn2f3m9q0w7xz' } } })

console.log(JSON.stringify({
  made, listed,
  statuses: tests.map((test) => test.status),
  report: { id: report.id, test: report.test_id, scores: report.aggregate_scores },
  refused: [refused.response.status, refused.error?.code],
}))
