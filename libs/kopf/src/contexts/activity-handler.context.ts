import type { Clock } from 'kube-common';
import type { ActivityContext } from './contexts.interface.js';
import { HasMembers, INVOCATION_MEMBERS } from './context.members.js';
import type { Indices } from './indices.interface.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { Invocation } from './invocation.js';
import { InvocationHandlerContext } from './invocation-handler.context.js';

/** The members that the contexts of all activities share. */
export interface ActivityEnvironment {
  readonly settings: KopfSettings;
  /** The operator's memo of this run. */
  readonly memo: any;
  readonly indices: Indices;
  readonly clock: Clock;
}

/** A class of contexts of activities. */
export type ActivityContextClass = new (invocation: Invocation, environment: ActivityEnvironment) => ActivityContext;

/** The context of handlers of activities: startup, cleanup, login, probes. */
@HasMembers<ActivityContext>({ ...INVOCATION_MEMBERS, settings: true, memo: true, indices: true })
export class ActivityHandlerContext extends InvocationHandlerContext implements ActivityContext {
  readonly settings: KopfSettings;
  readonly memo: any;
  readonly indices: Indices;

  constructor(invocation: Invocation, { settings, memo, indices }: ActivityEnvironment) {
    super(invocation);
    this.settings = settings;
    this.memo = memo;
    this.indices = indices;
  }
}
