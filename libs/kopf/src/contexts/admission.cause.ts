import type {
  AdmissionCall,
  AdmissionOperation,
  AdmissionRequest,
  ClientCertificate,
  UserInfo,
} from '../reviews/admission.review.js';
import { ADMISSION_MEMBERS, HasMembers } from './context.members.js';
import type { AdmissionFilterContext } from './filter-contexts.interface.js';
import { type ObjectDiff, diff } from '../objects/diffs.js';
import type { KubeObject } from '../objects/kube-object.js';
import { ObjectCause, type CauseOrigin } from './object.causes.js';

/** The cause of a review: the request of the API server about an object. */
@HasMembers<AdmissionFilterContext>(ADMISSION_MEMBERS)
export class AdmissionCause extends ObjectCause implements AdmissionFilterContext {
  readonly warnings: string[] = [];
  private differences?: ObjectDiff;

  constructor(
    origin: CauseOrigin,
    private readonly request: AdmissionRequest,
    private readonly call: AdmissionCall,
  ) {
    super(origin);
  }

  get operation(): AdmissionOperation {
    return this.request.operation;
  }

  get subresource(): string | undefined {
    return this.request.subResource || undefined;
  }

  get dryrun(): boolean {
    return this.request.dryRun === true;
  }

  get userinfo(): UserInfo {
    return this.request.userInfo ?? {};
  }

  get headers(): Readonly<Record<string, string>> {
    return this.call.headers;
  }

  get sslpeer(): ClientCertificate | undefined {
    return this.call.sslpeer;
  }

  get old(): KubeObject | undefined {
    return this.request.oldObject ?? undefined;
  }

  get new(): KubeObject | undefined {
    return this.request.object ?? undefined;
  }

  /** The differences; computed when they are first read, as they are the most expensive member. */
  get diff(): ObjectDiff {
    return (this.differences ??= diff(this.old, this.new));
  }

  /**
   * Returns the name from the request, as connections have no object with metadata, and an object with a generated name has no name yet.
   */
  override get name(): string {
    return this.body.metadata.name ?? this.request.name ?? '';
  }

  override get namespace(): string | undefined {
    return this.body.metadata.namespace ?? (this.request.namespace || undefined);
  }
}
