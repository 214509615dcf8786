/** Every migration, one line each. */
export * from './0001-tables.ts'
