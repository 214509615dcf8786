/** The whole score of a message for delivery: the pure part once, then the classifier of each organization. */
import { errorMessage } from '../../../server/base/errors.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import type { Services } from '../../type/context.ts'
import { contentOf } from './content.ts'
import type { SpamFacts } from './facts.ts'
import { modelsOf } from './models.ts'
import { scoreMessage, withBayes } from './score.ts'
import { tokensOf } from './tokens.ts'
import type { SpamVerdict } from './verdict.ts'

type Needs = Pick<Services, 'store' | 'clock' | 'logger'>

/**
 * Outside of any unit of work. Never rejects: a classifier that fails does not count.
 * @returns the verdict for the recipients of each organization
 */
export async function judgeSpam(
  services: Needs,
  organizations: readonly number[],
  parsed: ParsedMessage,
  facts: SpamFacts,
): Promise<Map<number, SpamVerdict>> {
  const verdicts = new Map<number, SpamVerdict>()
  const { outside } = facts
  if (outside) return new Map(organizations.map((organization) => [organization, outside]))
  const content = contentOf(parsed, facts.bytes)
  const own = scoreMessage(parsed, facts, content)
  let tokens: readonly number[] | undefined
  const models = modelsOf(services.store)
  for (const organization of organizations) {
    const bayes = await models
      .classify(services, organization, () => (tokens ??= tokensOf(parsed, content)))
      .catch((error: unknown) => {
        services.logger.error({ organization, error: errorMessage(error) }, 'the spam classifier failed')
        return null
      })
    verdicts.set(organization, bayes ? withBayes(own, bayes) : own)
  }
  return verdicts
}
