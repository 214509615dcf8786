/** What the consistency check compares the rows of emails with, and repairs them by. */
import type { EmailTexts } from '../../storage/check/email-texts.ts'
import { packProperties } from '../mail/email/packed.ts'
import { packStructure } from '../message/pack.ts'
import { parseMessage } from '../message/structure.ts'

export function emailTextsOf(message: Uint8Array): EmailTexts {
  const parsed = parseMessage(message)
  return { packed: packProperties(parsed), structure: JSON.stringify(packStructure(parsed.structure)) }
}
