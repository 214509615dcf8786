/** How much a call may have to read, judged by its name and arguments alone. */

/**
 * `little`: what it reads is bounded by its arguments, whatever the account holds.
 * `some`: seldom more than that, and work that turns out to be more can be begun anew elsewhere.
 * `much`: it may read the whole account, or many messages.
 */
export type Weight = 'little' | 'some' | 'much'
