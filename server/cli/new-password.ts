/** Reads a new password from standard input: command lines are visible to other users and kept in histories. */
import { type Invocation, UsageError } from './command.ts'

/** null: none is given, so that one is generated. @throws UsageError for an empty password */
export async function readNewPassword({ options, terminal }: Invocation): Promise<string | null> {
  if (options['password-stdin'] !== true) return null
  const password = (await terminal.readInput()).replace(/\r?\n$/, '')
  if (password === '') throw new UsageError('--password-stdin: standard input is empty')
  return password
}
