import { type AnswerBody, bodySize } from '../../jmap/protocol/answer-body.ts'
import type { WaitingClient } from '../base/guard.ts'
import type { UnsentAnswers } from '../base/unsent-answers.ts'

/**
 * A large answer of the core takes room until its client leaves. Text, of at most some hundred thousand octets, and what is no answer to JMAP
 * count when they are written (UnsentAnswers.holdWritten).
 */
export function holdAnswer(
  unsent: UnsentAnswers,
  credential: string,
  client: WaitingClient | undefined,
  value: unknown,
): void {
  const { body, text = body } = Object(value) as { readonly body?: AnswerBody; readonly text?: AnswerBody }
  if (client && typeof text === 'object') unsent.hold(credential, bodySize(text), (left) => client.onLeave(left))
}
