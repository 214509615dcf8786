/** Sends newsletters that are due, in turns (jmap/newsletters/sending). */
import type { NewsletterTurn } from '../../jmap/newsletters/sending/turn.ts'
import {
  NEWSLETTER_BUSY_MS,
  NEWSLETTER_CONCURRENCY,
  NEWSLETTER_LEASE_MS,
  NEWSLETTER_SWEEP_MS,
} from '../base/newsletter-limits.ts'
import { DueWorker } from './due-worker.ts'
import type { WorkerDeps } from './worker.ts'

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<WorkerDeps['core'], 'newsletters' | 'onStateChange'>
}

export function newsletterWorker({ core, clock, logger }: Needs): DueWorker<NewsletterTurn> {
  const { nextAt, claim, run } = core.newsletters
  return new DueWorker({
    name: 'newsletter',
    work: { nextAt, claim, run },
    listen: (worker) =>
      core.onStateChange(({ changed }) => {
        // Results of attempts change it often.
        if ('Newsletter' in changed) worker.wakeIn(NEWSLETTER_BUSY_MS)
      }),
    concurrency: NEWSLETTER_CONCURRENCY,
    leaseMs: NEWSLETTER_LEASE_MS,
    sweepMs: NEWSLETTER_SWEEP_MS,
    busyMs: NEWSLETTER_BUSY_MS,
    clock,
    logger,
  })
}
