/** Sending limits of organizations: plans (decision D27) and reputation (decision D26). */

/** null: no limit. */
export interface Plan {
  readonly name: string
  readonly mailboxes: number | null
  readonly aliases: number | null
  /** Recipients in a month. */
  readonly sends: number | null
  /** Subscribers that are new to their audience, in a month. */
  readonly audienceIngest: number | null
  /** Octets of the media of newsletters. */
  readonly newsletterMediaBytes: number | null
  readonly teamMembers: number | null
}

export const UNLIMITED_PLAN: Plan = {
  name: 'Unlimited',
  mailboxes: null,
  aliases: null,
  sends: null,
  audienceIngest: null,
  newsletterMediaBytes: null,
  teamMembers: null,
}

const GB = 1_000_000_000

/** Quotas of the plans (spec/contract.tsv, Plan quotas; Other constants). */
export const PLANS = {
  free: {
    name: 'Free',
    mailboxes: 0,
    aliases: 0,
    sends: 0,
    audienceIngest: 0,
    newsletterMediaBytes: 0,
    teamMembers: 1,
  },
  solo: {
    name: 'Solo',
    mailboxes: 3,
    aliases: 2,
    sends: 1_000,
    audienceIngest: 5_000,
    newsletterMediaBytes: 2 * GB,
    teamMembers: 1,
  },
  pro: {
    name: 'Pro',
    mailboxes: 10,
    aliases: 10,
    sends: 10_000,
    audienceIngest: 25_000,
    newsletterMediaBytes: 10 * GB,
    teamMembers: 5,
  },
  team: {
    name: 'Team',
    mailboxes: 50,
    aliases: 25,
    sends: 100_000,
    audienceIngest: 100_000,
    newsletterMediaBytes: 50 * GB,
    teamMembers: null,
  },
} as const satisfies Record<string, Plan>

export type PlanName = keyof typeof PLANS
export const PLAN_NAMES = Object.keys(PLANS) as PlanName[]

/** Quotas of a subscription in its trial, whatever the plan; people follow the plan. */
export const TRIAL_QUOTAS = {
  mailboxes: 3,
  aliases: 2,
  sends: 100,
  audienceIngest: 0,
  newsletterMediaBytes: 2 * GB,
} as const
export const TRIAL_DAYS = 14

/** Fractions of recipients, from 0 to 1: the level is reached if either rate is at or above its value. */
export interface ReputationRates {
  readonly bounces: number
  readonly complaints: number
}

export interface ReputationPolicy {
  readonly isOn: boolean
  readonly windowMs: number
  /** With fewer recipients in the window there is no rate. */
  readonly minRecipients: number
  readonly warning: ReputationRates
  readonly throttled: ReputationRates
  readonly suspended: ReputationRates
  /** Recipients per hour while throttled. */
  readonly throttledSendsPerHour: number
  /** Milliseconds for which both rates must be below those of the warning before the level is healthy again. */
  readonly calmMs: number
  /** Minimum time of a suspension in milliseconds, unless an administrator ends it. */
  readonly suspendedMs: number
}

const HOUR_MS = 3_600_000

export const DEFAULT_REPUTATION: ReputationPolicy = {
  isOn: true,
  windowMs: 7 * 24 * HOUR_MS,
  minRecipients: 100,
  warning: { bounces: 0.04, complaints: 0.001 },
  throttled: { bounces: 0.08, complaints: 0.003 },
  suspended: { bounces: 0.12, complaints: 0.005 },
  throttledSendsPerHour: 50,
  calmMs: 24 * HOUR_MS,
  suspendedMs: 72 * HOUR_MS,
}

/** Fraction of the usual share of the queue while throttled (decision D26). */
export const THROTTLED_PACE = 0.25

/** Milliseconds between two evaluations of all reputations (decision D26). */
export const REPUTATION_EVERY_MS = 5 * 60_000
/** Milliseconds between two checks for owners whose plans are nearly used up. */
export const OWNER_MAIL_EVERY_MS = 900_000

/** UTF-16 units of an SMTP reply that a suppression keeps. */
export const SUPPRESSION_RESPONSE_MAX_CHARS = 1_000
/** Suppressed addresses that one error names. */
export const SUPPRESSED_NAMED_MAX = 100
/** Addresses in the fields that name the authors of a message to send. Each one is looked up. */
export const SHOWN_ADDRESSES_MAX = 100
