/** From the text of a script to what runs. */
import type { SieveScript } from './script.ts'
import { SieveSyntaxError } from './syntax.ts'

export type CompileResult =
  | { readonly script: SieveScript }
  /** `line` counts from 1; `message` is a sentence for people. */
  | { readonly error: { readonly line: number; readonly message: string } }

/** Reads, checks and compiles a script. Total. */
export function compileScript(text: string): CompileResult {
  try {
    if (text.trim() !== '') throw new SieveSyntaxError(1, 'Commands are not known yet.')
    return { script: { steps: [], requires: [] } }
  } catch (error) {
    if (error instanceof SieveSyntaxError) return { error: { line: error.line, message: error.message } }
    throw error
  }
}
