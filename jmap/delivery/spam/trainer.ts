/**
 * Learns from marks: each content once per organization; a changed mark undoes the earlier lesson. Parsing happens outside the unit of
 * work that counts the tokens. The mark is deleted in that same unit of work, so that a crash neither loses nor repeats a lesson.
 */
import { errorMessage, isFailure } from '../../../server/base/errors.ts'
import {
  BAYES_FORGET_DAYS,
  BAYES_FORGET_EVERY,
  BAYES_TOKENS_MAX,
  SPAM_LESSONS_AT_ONCE,
  SPAM_MARKS_SLICE,
} from '../../../server/base/spam-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import {
  countTokens,
  forgetTokens,
  keepLearned,
  learnedAs,
  type SpamKind,
  saveSpamTotals,
  spamTotals,
  uncountTokens,
} from '../../../storage/repos/spam-learned.ts'
import { takeSpamMark, type WaitingMark, waitingSpamMarks } from '../../../storage/repos/spam-marks.ts'
import { readStored } from '../../mail/blob/blobs.ts'
import type { Services } from '../../type/context.ts'
import { contentOf } from './content.ts'
import { type Lesson, modelsOf } from './models.ts'
import { tokensOf } from './tokens.ts'

const DAY_MS = 86_400_000

type Mark = Awaited<ReturnType<typeof waitingSpamMarks>>[number]

/** Learns from at most one slice of marks. Returns the number of marks. */
export async function learnMarks(services: Services): Promise<number> {
  const marks = await services.store.read((reader) => waitingSpamMarks(reader, SPAM_MARKS_SLICE))
  let done = 0
  for (let at = 0; at < marks.length; at += SPAM_LESSONS_AT_ONCE) {
    // Lessons that run concurrently share a commit.
    const learned = await Promise.all(
      marks.slice(at, at + SPAM_LESSONS_AT_ONCE).map((mark) => learnOrTell(services, mark)),
    )
    const lessons = learned.filter((lesson) => lesson !== null && lesson !== 'failed')
    lessons.sort((a, b) => a.version - b.version)
    for (const lesson of lessons) await modelsOf(services.store).follow(lesson.organization, lesson)
    done += learned.filter((lesson) => lesson !== 'failed').length
  }
  return done
}

interface KeptLesson extends Lesson {
  readonly organization: number
}

/** A mark that fails stays and does not block the others. */
async function learnOrTell(services: Services, mark: Mark): Promise<KeptLesson | null | 'failed'> {
  try {
    return await learn(services, mark)
  } catch (error) {
    const { account, email } = mark
    services.logger.error({ account, email, error: errorMessage(error) }, 'a mark could not be learned from')
    return 'failed'
  }
}

/** null: there was nothing to learn. */
async function learn(services: Services, mark: Mark): Promise<KeptLesson | null> {
  const { account, email, number, organization, hash } = mark
  const tokens = hash === null ? null : await tokensOfStored(services, mark)
  return services.store.write([account, organization], async (work) => {
    if (!(await takeSpamMark(work.account(account), email, number))) return null
    if (tokens === null || hash === null || work.account(organization).isDeleted) return null
    const lesson = await apply(work.account(organization), { ...mark, hash }, tokens)
    return lesson && { ...lesson, organization }
  })
}

/** null: the blob is gone or damaged, so there is nothing to learn. */
async function tokensOfStored(services: Services, { account, blob }: { account: number; blob: number }) {
  const { store, messageWork } = services
  const stored = await store
    .read((reader) => readStored(store, reader, account, blob))
    .catch((error: unknown) => {
      if (!isFailure(error, 'corrupt')) throw error
      return null
    })
  if (!stored) return null
  const { parsed, message } = await messageWork.parseLent(stored)
  return tokensOf(parsed, contentOf(parsed, message))
}

async function apply(
  unit: AccountUnit,
  { hash, kind }: WaitingMark,
  tokens: readonly number[],
): Promise<Lesson | null> {
  const wanted: SpamKind | null = kind === 'none' ? null : kind
  const before = await learnedAs(unit, unit.account, hash)
  if (before === wanted) return null
  const day = Math.floor(unit.now / DAY_MS)
  if (before !== null) await uncountTokens(unit, tokens, before)
  if (wanted !== null) await countTokens(unit, tokens, wanted, day)
  await keepLearned(unit, hash, wanted, day)
  const spam = Number(wanted === 'spam') - Number(before === 'spam')
  const ham = Number(wanted === 'ham') - Number(before === 'ham')
  const old = await spamTotals(unit, unit.account)
  const totals = { spam: Math.max(0, old.spam + spam), ham: Math.max(0, old.ham + ham) }
  const version = old.version + 1
  await saveSpamTotals(unit, { ...totals, version })
  const forgot =
    version % BAYES_FORGET_EVERY === 0 && (await forgetTokens(unit, day - BAYES_FORGET_DAYS, BAYES_TOKENS_MAX))
  return { tokens, before, after: wanted, totals, version, forgot }
}
