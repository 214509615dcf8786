/** Imports of files by REST, as a client makes them. */
import { createReadStream, statSync } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

export interface ImportState {
  readonly id: string
  readonly status: string
  readonly counters: {
    readonly total: number
    readonly processed: number
    readonly imported: number
    readonly duplicates: number
    readonly failed: number
    readonly undone: number
  }
  readonly error: { readonly code: string; readonly message: string } | null
}

export interface ImportClient {
  /** Uploads a file and starts its import. */
  start(http: string, path: string, source?: object): Promise<ImportState>
  /** Starts an import of any source. */
  startFrom(http: string, source: object): Promise<ImportState>
  read(http: string, id: string): Promise<ImportState>
  act(http: string, id: string, verb: 'cancel' | 'undo'): Promise<ImportState>
  /** Waits until it has one of the statuses. */
  until(http: string, id: string, statuses: readonly string[]): Promise<ImportState>
}

/** Each look costs the server some milliseconds of CPU. */
const LOOK_MS = 1_000

export function importClient(apiKey: string, mailboxId: string): ImportClient {
  const folder = `/api/v1/mailboxes/${mailboxId}/imports`
  const call = async (url: string, body?: object): Promise<never> => {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`)
    return JSON.parse(text) as never
  }
  const read = (http: string, id: string): Promise<ImportState> => call(`${http}${folder}/${id}`)
  const startFrom = (http: string, source: object): Promise<ImportState> => call(`${http}${folder}`, { source })
  return {
    read,
    startFrom,
    async start(http, path, source = { type: 'files', provider: 'generic' }) {
      const { size } = statSync(path)
      const staged: { file_id: string; upload_url: string } = await call(`${http}${folder}/files`, {
        file_name: basename(path),
        size_bytes: size,
      })
      const sent = await fetch(new URL(new URL(staged.upload_url).pathname, http), {
        method: 'PUT',
        headers: { 'Content-Length': String(size) },
        body: Readable.toWeb(createReadStream(path)) as ReadableStream,
        duplex: 'half',
      } as RequestInit)
      if (!sent.ok) throw new Error(`upload: ${sent.status} ${await sent.text()}`)
      return startFrom(http, { ...source, file_ids: [staged.file_id] })
    },
    act: (http, id, verb) => call(`${http}${folder}/${id}/${verb}`, {}),
    async until(http, id, statuses) {
      for (;;) {
        // A busy machine may answer 503.
        const state = await read(http, id).catch(() => null)
        if (state === null) {
          await pause(LOOK_MS)
          continue
        }
        if (statuses.includes(state.status)) return state
        await pause(LOOK_MS)
      }
    },
  }
}
