/** Sends a text that is made page by page while it is sent: its size is known at its end, so that it has no ranges. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { copyPieces, fileHeaders } from './files.ts'
import { answerNotModified, setHeaders } from './respond.ts'

export interface TextSource {
  readonly type: string
  readonly name: string
  /** Changes when the text does. */
  readonly tag: string
  /** The whole text. It is read once. */
  readonly pages: AsyncIterable<string>
}

/** Answers a GET or HEAD with the text. @throws what the pages throw: half a text must not look like a whole one */
export async function sendTextPages(
  request: IncomingMessage,
  response: ServerResponse,
  { type, name, tag, pages }: TextSource,
): Promise<void> {
  setHeaders(response, fileHeaders({ type, name }))
  if (answerNotModified(request, response, `"${tag}"`)) return
  if (request.method === 'HEAD') response.end()
  else await copyPieces(octetsOf(pages), response)
}

async function* octetsOf(pages: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const page of pages) yield Buffer.from(page)
}
