/** The three levels of errors (RFC 8620 3.6): of a request, of a method call, of a record. */
export * from './method-error.ts'
export * from './request-problem.ts'
export * from './set-error.ts'
