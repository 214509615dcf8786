/** Entry of a thread that checks signatures: hashing and RSA run outside of the main event loop. DNS lookups go to the thread that started it. */
import { parentPort } from 'node:worker_threads'
import { freeMemory } from '../../../../server/base/free-memory.ts'
import { createLookup, type LookupAnswer } from './lookup.ts'
import type { SignatureReport } from './signature-report.ts'
import { checkSignatures } from './signatures.ts'

export type ToThread =
  | { readonly kind: 'check'; readonly job: number; readonly bytes: Uint8Array; readonly now: number }
  | { readonly kind: 'answer'; readonly question: number; readonly answer: LookupAnswer }

export type FromThread =
  | { readonly kind: 'report'; readonly job: number; readonly report: SignatureReport | null }
  | {
      readonly kind: 'question'
      readonly question: number
      readonly job: number
      readonly name: string
      readonly type: string
    }

const port = parentPort!
const waiting = new Map<number, (answer: LookupAnswer) => void>()
let questions = 0

function send(message: FromThread): void {
  port.postMessage(message)
}

async function check(job: number, bytes: Uint8Array, now: number): Promise<SignatureReport> {
  const lookup = createLookup(
    (name, type) =>
      new Promise((resolve) => {
        const question = ++questions
        waiting.set(question, resolve)
        send({ kind: 'question', question, job, name, type })
      }),
  )
  return checkSignatures(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), lookup, now)
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'answer') {
    waiting.get(message.question)?.(message.answer)
    waiting.delete(message.question)
    return
  }
  const { job, bytes, now } = message
  check(job, bytes, now)
    .then(
      (report) => send({ kind: 'report', job, report }),
      // The library throws for a message that it cannot parse.
      () => send({ kind: 'report', job, report: null }),
    )
    .finally(() => freeMemory(bytes))
})
