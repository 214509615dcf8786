/** Writers that increment one number of a mailbox, each from the value it has read. */
import type { TestMailbox } from '../../support/core.ts'

export interface Count {
  /** The final number. */
  readonly counted: number
  /** Accepted updates. */
  readonly accepted: number
  /** Updates that a writer had to start again. */
  readonly refused: number
}

/** @param isGuarded whether updates name the state that was read */
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
