/** A mail server of Debian: how it is installed, configured, and started in a file system of its own. */
import type { Provocation } from './world.ts'

export interface MailServer {
  readonly name: string
  /** Debian packages. */
  readonly packages: readonly string[]
  /** Paths in its file system, and their content: it gives up at the first failure. */
  readonly files: { readonly [path: string]: string }
  /** The same for a second run, in which it reports the first failure as a delay. null: it reports none. */
  readonly delayFiles: { readonly [path: string]: string } | null
  /** In notices that do not tell the reason: they say only that delivery is delayed. */
  readonly vague?: RegExp
  /** Shell commands after which it listens on port 25 of 127.0.0.1 or soon will. */
  readonly start: string
  /** Failures that need no other server. */
  readonly own: readonly Provocation[]
  /** Kinds of the common provocations that it cannot be made to do. */
  readonly without: readonly string[]
}
