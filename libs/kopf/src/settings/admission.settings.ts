import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateBy,
} from 'class-validator';
import type { AdmissionServer } from '../reviews/admission-server.interface.js';

/** A DNS name of at least two parts, so that the names of webhooks have three, as Kubernetes demands. */
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

/** Requires a server of webhooks: a class of the library, or of the user. */
function IsAdmissionServer(): PropertyDecorator {
  return ValidateBy({
    name: 'isAdmissionServer',
    validator: {
      validate: (value: Partial<AdmissionServer>) => typeof value.serve === 'function',
      defaultMessage: () => 'server must be an AdmissionServer, with a method serve()',
    },
  });
}

/** The settings of admission: how the API server asks the operator about objects before it stores them. All durations are in seconds. */
export class AdmissionSettings {
  /**
   * The name of the `ValidatingWebhookConfiguration` and the `MutatingWebhookConfiguration` that the operator keeps up to date, and the
   * suffix of the names of their webhooks: `auto.kopf.dev`. No other operator may use it.
   * @default none: the configurations are created by other means
   */
  @IsOptional()
  @MaxLength(253)
  @Matches(DOMAIN, { message: 'managed must be a lower-case domain of at least two parts, such as auto.kopf.dev' })
  managed: string | null = null;

  /** The server of the webhooks. @default the controller of `KopfAdmissionModule`, if there is one */
  @IsOptional() @IsAdmissionServer() server: AdmissionServer | null = null;

  /**
   * The time limit of all handlers of one review together; after it, the review is rejected with the code 504. It is less than the 30
   * seconds after which the API server gives up, so that the user sees the reason.
   * @default 29
   */
  @IsNumber() @Min(0.001) @Max(30) timeout = 29;

  /**
   * What happens to the indices of reviews while the operator pauses, such as on a replica on standby. `watch`: the indexed resources are
   * watched on all replicas, only to keep the indices up to date. `reject`: they are not watched, and reviews whose handlers read an index
   * are rejected with the code 503.
   * @default 'watch'
   */
  @IsIn(['watch', 'reject']) standbyIndices: 'watch' | 'reject' = 'watch';

  /**
   * What handlers of reviews get as the memo of an object while the operator pauses, although handlers of another replica may have written
   * into it. `reject`: no memo, and reviews whose handlers read it are rejected with the code 503. `empty`: a new memo.
   * @default 'reject'
   */
  @IsIn(['reject', 'empty']) standbyMemos: 'reject' | 'empty' = 'reject';

  /**
   * How long a review waits for an index that a handler reads, until the objects are listed after a start, or their watch has resumed;
   * after it, the review is rejected with the code 503. Other reviews do not wait.
   * @default 5
   */
  @IsNumber() @Min(0) indexTimeout = 5;

  /** How long the watch of an indexed resource may be interrupted before reviews do not use the index any more. @default 10 */
  @IsNumber() @Min(0) indexStaleness = 10;

  /**
   * Whether users of the API see the messages of all errors of handlers and filters, as in Kopf. Otherwise they see the messages of
   * `AdmissionError`, `PermanentError`, and `TemporaryError`, which are written for them; of any other error, such as a failed connection
   * to a database, they only see that there was one, and the log has the message.
   * @default false
   */
  @IsBoolean() exposeErrors = false;

  /** The most bytes of a review, which contains the object twice. @default 8 MiB, as API servers accept objects of up to 3 MiB */
  @IsInt() @Min(1) bodyLimit = 8 * 1024 * 1024;

  /**
   * Whether webhooks in the managed configurations that do not belong to the operator, by the suffix of their names, are kept. The operator
   * then needs the permission to `get` the configurations.
   * @default false, as in Kopf: they are overwritten
   */
  @IsBoolean() keepForeign = false;

  /**
   * Seconds between updates of the managed configurations without a known change; 0 for none. If the operator may watch the configurations,
   * it repairs changes by others at once anyway; otherwise only these updates repair them.
   * @default 60
   */
  @IsNumber() @Min(0) refreshInterval = 60;

  /**
   * Whether the operator sets the conversion strategy of CRDs with `@Convert` handlers back to `None` when it exits, with managed
   * configurations. The API server then changes nothing but the `apiVersion` of an object, and loses fields that the other version does not
   * have; so this is for development. Otherwise, the webhooks stay in the CRDs, and without the operator objects can be used only in the
   * version in which they are stored.
   * @default false
   */
  @IsBoolean() releaseConversions = false;

  /**
   * How long reviews are still answered after the webhooks were removed at the exit: API servers notice the removal somewhat later.
   * @default 1
   */
  @IsNumber() @Min(0) exitDelay = 1;
}
