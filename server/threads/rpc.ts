/**
 * Calls over a MessagePort: plain data out, plain data or a failure back, and events. This file knows ports and errors, not the functions
 * that are called. Failures keep their code; of other errors the message and the stack cross, for the log.
 */
import type { MessagePort, Transferable, Worker } from 'node:worker_threads'
import { errorMessage, Failure, type FailureCode, isFailure } from '../base/errors.ts'

interface Call {
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}

interface SentError {
  readonly code: FailureCode | null
  readonly message: string
  readonly stack: string | undefined
}

type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SentError }
  | { readonly event: unknown }

export class RpcClient {
  readonly #port: Pick<Worker, 'postMessage'> | Pick<MessagePort, 'postMessage'>
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>()
  #nextId = 1
  #ended: Error | null = null

  /** @param onEvent is called with what the other side emits */
  constructor(
    port: Pick<Worker, 'postMessage' | 'on'> | Pick<MessagePort, 'postMessage' | 'on'>,
    onEvent: (event: unknown) => void,
  ) {
    this.#port = port
    port.on('message', (reply: Reply) => {
      if ('event' in reply) onEvent(reply.event)
      else this.#settle(reply)
    })
  }

  call<T>(method: string, args: readonly unknown[], transfer: readonly Transferable[] = []): Promise<T> {
    if (this.#ended) return Promise.reject(this.#ended)
    const id = this.#nextId++
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
      try {
        this.#port.postMessage({ id, method, args } satisfies Call, transfer)
      } catch (error) {
        this.#waiting.delete(id)
        reject(error)
      }
    })
  }

  /** The other side has ended: calls that wait fail, and so do later ones. */
  end(reason: Error): void {
    this.#ended ??= reason
    for (const { reject } of this.#waiting.values()) reject(reason)
    this.#waiting.clear()
  }

  #settle(reply: Exclude<Reply, { event: unknown }>): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if ('value' in reply) waiting?.resolve(reply.value)
    else waiting?.reject(receivedError(reply.error))
  }
}

export type RpcHandler = (
  ...args: never[]
) => Promise<{ readonly value: unknown; readonly transfer?: readonly Transferable[] }>

/** Answers the calls that arrive on a port. */
export function serveRpc(
  port: Pick<MessagePort, 'on' | 'postMessage'>,
  handlers: ReadonlyMap<string, RpcHandler>,
): void {
  port.on('message', async ({ id, method, args }: Call) => {
    try {
      const handler = handlers.get(method)
      if (!handler) throw new TypeError(`there is no handler for ${method}`)
      const { value, transfer = [] } = await handler(...(args as never[]))
      port.postMessage({ id, value } satisfies Reply, transfer)
    } catch (error) {
      port.postMessage({ id, error: sentError(error) } satisfies Reply)
    }
  })
}

/** Sends an event after the replies so far. */
export function emitEvent(port: Pick<MessagePort, 'postMessage'>, event: unknown): void {
  port.postMessage({ event } satisfies Reply)
}

function sentError(error: unknown): SentError {
  const stack = error instanceof Error ? error.stack : undefined
  return { code: isFailure(error) ? error.code : null, message: errorMessage(error), stack }
}

function receivedError({ code, message, stack }: SentError): Error {
  const error = code === null ? new Error(message) : new Failure(code, message)
  if (stack !== undefined) error.stack = stack
  return error
}
