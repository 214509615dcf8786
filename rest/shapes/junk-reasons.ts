/** Why a message is in Junk or not: its spam score with the reasons, and the actions at delivery, in words. */
import type { SpamVerdictObject, TraceNoteObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'

export const SpamVerdict = s.named(
  'SpamVerdict',
  s.object({
    score: s.number({ description: 'At or above the threshold the message is junk.', examples: [7.4] }),
    threshold: s.nullable(
      s.number({ description: 'Threshold of the mailbox when the message arrived.', examples: [6] }),
    ),
    engine: s.string({
      description: '`posthouse`, or `rspamd` if the operator has configured it.',
      examples: ['posthouse'],
    }),
    symbols: s.array(
      s.object({
        name: s.string({ examples: ['SUBJECT_CAPITALS'] }),
        score: s.number({ examples: [2.3] }),
        description: s.string({ examples: ['The subject is written in capitals.'] }),
        detail: s.nullable(s.string({ description: 'Text that caused it; it comes from other people.' })),
      }),
      { description: 'In order of weight, the heaviest first.' },
    ),
  }),
)

export const DeliveryNote = s.named(
  'DeliveryNote',
  s.object({
    by: s.string({ description: '`check`, `spam`, `script`, `rule`, `reply` or `delivery`.', examples: ['rule'] }),
    name: s.nullable(s.string({ description: 'Name of the script or the rule.' })),
    text: s.string(),
  }),
)

export function toSpamVerdict(verdict: SpamVerdictObject): s.Infer<typeof SpamVerdict> {
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

export function toDeliveryNote({ by, name, text }: TraceNoteObject): s.Infer<typeof DeliveryNote> {
  return { by, name: name ?? null, text }
}
