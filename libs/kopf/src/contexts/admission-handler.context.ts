import type { AdmissionContext } from './contexts.interface.js';
import { ADMISSION_MEMBERS, HasMembers, INVOCATION_MEMBERS } from './context.members.js';
import type { AdmissionCause } from './admission.cause.js';
import { ObjectHandlerContext } from './object-handler.context.js';

/** The context of `@Validate` and `@Mutate` handlers. */
@HasMembers<AdmissionContext>({ ...ADMISSION_MEMBERS, ...INVOCATION_MEMBERS })
export class AdmissionHandlerContext extends ObjectHandlerContext<AdmissionCause> implements AdmissionContext {
  get operation() {
    return this.cause.operation;
  }
  get subresource() {
    return this.cause.subresource;
  }
  get dryrun() {
    return this.cause.dryrun;
  }
  get warnings() {
    return this.cause.warnings;
  }
  get userinfo() {
    return this.cause.userinfo;
  }
  get headers() {
    return this.cause.headers;
  }
  get sslpeer() {
    return this.cause.sslpeer;
  }
  get old() {
    return this.cause.old;
  }
  get new() {
    return this.cause.new;
  }
  get diff() {
    return this.cause.diff;
  }
}
