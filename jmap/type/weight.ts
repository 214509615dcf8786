/** How much a call may have to read, judged by its name and arguments alone. */

/**
 * `little`: what it reads is bounded by its arguments, whatever the account holds. `some`: rarely more than that; a call that needs
 * more can be restarted elsewhere. `much`: it may read the whole account, or many messages.
 */
export type Weight = 'little' | 'some' | 'much'
