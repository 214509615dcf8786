/** A core as a record of functions, so that parts of it can be put together anew. */
import type { HostedCore } from '../../jmap/create-core.ts'

export function boundCore(core: HostedCore): HostedCore {
  return {
    ids: core.ids,
    limits: core.limits,
    mayWrite: core.mayWrite.bind(core),
    answer: core.answer.bind(core),
    drainIndex: core.drainIndex.bind(core),
    drainMarks: core.drainMarks.bind(core),
    noteKeyUse: core.noteKeyUse.bind(core),
    keepVerifier: core.keepVerifier.bind(core),
    evaluateReputations: core.evaluateReputations.bind(core),
    sweep: core.sweep.bind(core),
    process: core.process.bind(core),
    processText: core.processText.bind(core),
    processMessage: core.processMessage.bind(core),
    session: core.session.bind(core),
    upload: core.upload.bind(core),
    download: core.download.bind(core),
    authenticate: core.authenticate.bind(core),
    refusalOf: core.refusalOf.bind(core),
    createOrganization: core.createOrganization.bind(core),
    organizations: core.organizations.bind(core),
    recipients: core.recipients.bind(core),
    ingest: core.ingest.bind(core),
    submit: core.submit.bind(core),
    claimSubmissions: core.claimSubmissions.bind(core),
    reportAttempts: core.reportAttempts.bind(core),
    nextSubmissionAt: core.nextSubmissionAt.bind(core),
    push: core.push,
    domainChecks: core.domainChecks,
    modelDrafts: core.modelDrafts,
    idempotency: core.idempotency,
    onStateChange: core.onStateChange.bind(core),
    close: core.close.bind(core),
  }
}
