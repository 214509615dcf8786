/** Uploads a file for an import piece by piece (decision D12): what has arrived stays there when a connection breaks. */
import { setTimeout as pause } from 'node:timers/promises'
import {
  TRANSFER_PIECE_BYTES,
  TRANSFER_REQUEST_MS,
  TRANSFER_TRIES,
  TRANSFER_WAIT_MS,
} from '../../base/transfer-limits.ts'
import { causeOf } from './http.ts'

/** `offset`: octets that the server has; null: it did not say. `isFinal`: another try does not help. */
interface Answer {
  readonly offset: number | null
  readonly fault: string | null
  readonly isFinal: boolean
}

/** @returns why the server does not take the file; null: it has the whole */
export async function uploadFile(url: string, file: Blob): Promise<string | null> {
  let [at, failures, wait] = [0, 0, TRANSFER_WAIT_MS]
  while (at < file.size) {
    const { offset, fault, isFinal } = await sendPiece(url, file, at)
    const before = at
    at = offset ?? (fault === null ? at : ((await askOffset(url)) ?? at))
    if (at > before) {
      failures = 0
      wait = TRANSFER_WAIT_MS
      continue
    }
    failures++
    if (isFinal || failures === TRANSFER_TRIES) return fault ?? 'it takes no more octets'
    await pause(wait)
    wait *= 2
  }
  return null
}

async function sendPiece(url: string, file: Blob, from: number): Promise<Answer> {
  const to = Math.min(from + TRANSFER_PIECE_BYTES, file.size)
  try {
    const response = await fetch(url, {
      method: 'PUT',
      headers: { 'content-range': `bytes ${from}-${to - 1}/${file.size}` },
      body: file.slice(from, to),
      signal: AbortSignal.timeout(TRANSFER_REQUEST_MS),
    })
    await response.body?.cancel()
    const { ok, status } = response
    const isFinal = !ok && status !== 409 && status !== 429 && status < 500
    return { offset: offsetIn(response), fault: ok ? null : `the server answered ${status}`, isFinal }
  } catch (error) {
    return { offset: null, fault: `the server does not respond: ${causeOf(error)}`, isFinal: false }
  }
}

/** null: the server does not respond. */
async function askOffset(url: string): Promise<number | null> {
  const signal = AbortSignal.timeout(TRANSFER_REQUEST_MS)
  const response = await fetch(url, { method: 'HEAD', signal }).catch(() => null)
  return response?.ok ? offsetIn(response) : null
}

function offsetIn({ headers }: Response): number | null {
  const text = headers.get('upload-offset')
  return text === null ? null : Number(text)
}
