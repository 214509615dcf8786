/**
 * Where requests of REST are executed that would hold up the sockets. What reads much goes to the threads for long reads, what is large to
 * threads apart from them: a long query must not hold up who sends mail.
 */
import type { AdmittedRequest, WrittenAnswer } from '../../rest/executor.ts'
import type { WaitingClient } from '../base/guard.ts'
import { detachArguments } from './octets.ts'
import type { Readers } from './readers.ts'

export class RestThreads {
  readonly #readers: Readers
  readonly #large: Readers

  constructor(readers: Readers, large: Readers) {
    this.#readers = readers
    this.#large = large
  }

  /**
   * The octets of the body are taken away from the caller.
   * @param client when it leaves, a request that only reads ends; its answer counts until then
   * @throws Failure `busy`, `overdue`, `abandoned`, `shuttingDown`
   */
  async execute(request: AdmittedRequest, client: WaitingClient): Promise<WrittenAnswer> {
    const threads = request.isRead ? this.#readers : this.#large
    const { credential } = request.principal
    // A read comes here because its answer is large.
    const isBulky = request.isRead
    const call = {
      path: 'rest',
      detach: () => detachArguments([request], { sent: 'given' }),
      restartsLarge: false,
      isBulky,
    }
    return (await threads.run(call, credential, client, !request.isRead)) as WrittenAnswer
  }
}
