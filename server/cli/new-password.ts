/** A new password for a mailbox: from standard input, as command lines are seen by others and kept in histories. */
import { type Invocation, UsageError } from './command.ts'

/** null when none is given, so that one is to be made. @throws UsageError for an empty one */
export async function readNewPassword({ options, terminal }: Invocation): Promise<string | null> {
  if (options['password-stdin'] !== true) return null
  const password = (await terminal.readInput()).replace(/\r?\n$/, '')
  if (password === '') throw new UsageError('--password-stdin: standard input is empty')
  return password
}
