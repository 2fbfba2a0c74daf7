// What the generated types must refuse.
import createClient from 'openapi-fetch'
import type { paths } from './api.js'

const api = createClient<paths>({ baseUrl: '' })
// @ts-expect-error: a test needs a task
await api.POST('/tests', { body: { url: 'https://shop.example.com/' } })
// @ts-expect-error: there is no such viewport
await api.POST('/tests', { body: { url: 'https://shop.example.com/', task: 'look', viewport: ['wall'] } })
// @ts-expect-error: there is no such address
await api.GET('/test', {})
