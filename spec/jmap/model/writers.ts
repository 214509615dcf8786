/** Writers that count up one number of a mailbox, each by what it has read. */
import type { TestMailbox } from '../../support/core.ts'

export interface Count {
  /** What the number has become. */
  readonly counted: number
  /** Updates that were taken. */
  readonly accepted: number
  /** Those that a writer had to begin anew. */
  readonly refused: number
}

/** @param isGuarded whether updates name the state that they read */
export async function countTogether(
  box: TestMailbox,
  writers: number,
  tries: number,
  isGuarded: boolean,
): Promise<Count> {
  const id = box.roles['archive']!
  await box.call('Mailbox/set', { update: { [id]: { sortOrder: 0 } } })
  const read = async () => {
    const { list, state } = await box.call('Mailbox/get', { ids: [id], properties: ['sortOrder'] })
    return { sortOrder: list[0].sortOrder as number, state: state as string }
  }
  let begun = 0
  let accepted = 0
  let refused = 0
  const write = async () => {
    while (begun < tries) {
      begun++
      const { sortOrder, state } = await read()
      const guard = isGuarded ? { ifInState: state } : {}
      const answer = await box.call('Mailbox/set', { ...guard, update: { [id]: { sortOrder: sortOrder + 1 } } })
      if (answer.type === 'stateMismatch') refused++
      else accepted++
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  return { counted: (await read()).sortOrder, accepted, refused }
}
