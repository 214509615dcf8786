/** Why a message is in Junk or not: its spam score with the reasons, and what was done with it at delivery, in words. */
import type { SpamVerdictObject, TraceNoteObject } from '../calls/jmap-types.ts'
import { array, type Infer, named, nullable, number, object, string } from '../schema/schema.ts'

export const SpamVerdict = named(
  'SpamVerdict',
  object({
    score: number({ description: 'At or above the threshold the message is junk.', examples: [7.4] }),
    threshold: nullable(number({ description: 'Of the mailbox, when the message came.', examples: [6] })),
    engine: string({
      description: '`posthouse`, or `rspamd` where the operator has set it up.',
      examples: ['posthouse'],
    }),
    symbols: array(
      object({
        name: string({ examples: ['SUBJECT_CAPITALS'] }),
        score: number({ examples: [2.3] }),
        description: string({ examples: ['The subject is written in capitals.'] }),
        detail: nullable(string({ description: "What it was found in: a stranger's words." })),
      }),
      { description: 'The weightiest first.' },
    ),
  }),
)

export const DeliveryNote = named(
  'DeliveryNote',
  object({
    by: string({ description: '`check`, `spam`, `script`, `rule`, `reply` or `delivery`.', examples: ['rule'] }),
    name: nullable(string({ description: 'Of the script or the rule.' })),
    text: string(),
  }),
)

export function toSpamVerdict(verdict: SpamVerdictObject): Infer<typeof SpamVerdict> {
  const { score, threshold, engine, symbols } = verdict
  return {
    score,
    threshold: threshold ?? null,
    engine,
    symbols: symbols.map(({ name, score, description, detail }) => {
      return { name, score, description, detail: detail ?? null }
    }),
  }
}

export function toDeliveryNote({ by, name, text }: TraceNoteObject): Infer<typeof DeliveryNote> {
  return { by, name: name ?? null, text }
}
