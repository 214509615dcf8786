/** The names of dev mode. RFC 6761 6.2: what ends in .test leads to nobody. */
export const DEV_HOSTNAME = 'mail.example.test'
export const DEV_DOMAIN = 'example.test'
export const DEV_LOCAL_PART = 'hello'
export const DEV_ADDRESS = `${DEV_LOCAL_PART}@${DEV_DOMAIN}`
/** None of them needs a privilege. */
export const DEV_PORTS = { http: 8080, smtp: 2525, submission: 2587, submissions: 2465 } as const
