import { IsNotEmpty, IsNumber, IsOptional, IsString, Min } from 'class-validator';

/**
 * How one of several replicas is elected by a Lease, with the option `coordination: 'lease'`. All durations are in seconds.
 * A replica must lose its leadership before others may take it: `retryPeriod < renewDeadline < leaseDuration`.
 */
export class LeaseSettings {
  /** The name of the Lease; the same for all replicas of one operator, and different for different operators. @default kopf-operator */
  @IsString() @IsNotEmpty() name = 'kopf-operator';

  /** The namespace of the Lease. @default the namespace of the credentials: in a pod, its own; else `default` */
  @IsOptional() @IsString() @IsNotEmpty() namespace: string | null = null;

  /** How long others wait for the leader before they take over; whole seconds on the wire. @default 15 */
  @IsNumber() @Min(1) leaseDuration = 15;

  /** How long the leader goes on without having renewed the Lease. @default 10 */
  @IsNumber() @Min(0.1) renewDeadline = 10;

  /** How often the leader renews the Lease, and the others look at it. @default 2 */
  @IsNumber() @Min(0.1) retryPeriod = 2;
}

/** Finds durations that do not fit each other, as texts that begin with the path of the setting. */
export function findLeaseMistakes({ leaseDuration, renewDeadline, retryPeriod }: LeaseSettings): readonly string[] {
  const mistakes: string[] = [];
  if (renewDeadline >= leaseDuration) mistakes.push('lease.renewDeadline must be less than leaseDuration');
  if (retryPeriod >= renewDeadline) mistakes.push('lease.retryPeriod must be less than renewDeadline');
  return mistakes;
}
