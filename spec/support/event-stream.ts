/** A client of server-sent events, for tests: reads blocks one after the other, as in the WHATWG specification. */
import type { Test } from 'tap'

export interface StreamEvent {
  /** null: a block without data, which only sets the id. */
  readonly event: string | null
  readonly id: string | null
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in its assertions
  readonly data: any
}

export interface EventStream {
  readonly response: Response
  /** The next block; null: the stream has ended. */
  next(): Promise<StreamEvent | null>
  /** The next block that is an event. */
  nextEvent(): Promise<StreamEvent | null>
  /** The last seen id, as a client would send it. */
  readonly lastId: string
  close(): Promise<void>
}

/** Closed after the test. */
export function eventStream(t: Pick<Test, 'teardown'>, response: Response): EventStream {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let lastId = ''
  const close = () => reader.cancel().catch(() => {})
  t.teardown(close)
  const next = async (): Promise<StreamEvent | null> => {
    for (let end = text.indexOf('\n\n'); end < 0; end = text.indexOf('\n\n')) {
      const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }))
      if (done) return null
      text += value
    }
    const [block = ''] = text.split('\n\n', 1)
    text = text.slice(block.length + 2)
    const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]))
    const data = fields.get('data')
    lastId = fields.get('id') ?? lastId
    return {
      event: data === undefined ? null : (fields.get('event') ?? 'message'),
      id: fields.get('id') ?? null,
      data: data === undefined ? null : JSON.parse(data),
    }
  }
  return {
    response,
    next,
    async nextEvent() {
      for (;;) {
        const block = await next()
        if (block === null || block.event !== null) return block
      }
    },
    get lastId() {
      return lastId
    },
    close,
  }
}
