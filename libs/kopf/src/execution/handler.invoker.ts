import { AsyncResource } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { StopFlag } from '../contexts/stop-flag.js';
import type { AdmissionCause } from '../contexts/admission.cause.js';
import type { ChangingCause } from '../contexts/changing.cause.js';
import type {
  ActivityHandler,
  AdmissionHandler,
  BackgroundHandler,
  ChangingHandler,
  ConversionHandler,
  Handler,
  IndexingHandler,
  ResourceHandler,
  WatchingHandler,
} from '../registry/handler.js';
import type { IndexingCause, SpawningCause, WatchingCause } from '../contexts/object.causes.js';
import type { ContainerMessage } from '../contexts/log.interface.js';
import { LogHandlerContext } from '../contexts/log-handler.context.js';
import type { LiveBody } from '../objects/live-views.js';
import type { ActivityContextClass, ActivityEnvironment } from '../contexts/activity-handler.context.js';
import { exposeMembers } from '../contexts/context.members.js';
import { AdmissionHandlerContext } from '../contexts/admission-handler.context.js';
import { ChangeHandlerContext } from '../contexts/change-handler.context.js';
import type { ConversionHandlerContext } from '../contexts/conversion-handler.context.js';
import { DaemonHandlerContext } from '../contexts/daemon-handler.context.js';
import { EventHandlerContext, IndexHandlerContext } from '../contexts/object-handler.context.js';
import { RelatedHandlerContext } from '../contexts/related-handler.context.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { ParentLookup } from '../relations/parent.lookup.js';
import { isThenable } from 'kube-common';
import { InvocationScopes, type InvocationScope } from './invocation.scope.js';
import type { Invocation } from '../contexts/invocation.js';
import type { Subhandling } from './subhandling.js';

/**
 * The invoker of the users' methods: it creates the context of the handler, opens the scope in which functions such as `adopt()` and
 * `event()` find the object, and calls the method. It calls handlers of all kinds, and no other class does, so that there is one place for
 * everything that concerns all calls. Retries, timeouts, and results are left to its callers.
 */
@Injectable()
export class HandlerInvoker {
  private readonly scopes = new InvocationScopes();

  /** Calls `@OnStartup`, `@OnCleanup`, `@OnLogin`, and `@OnProbe` handlers. They have no scope, as they handle no object. */
  invokeActivity(
    handler: ActivityHandler,
    Context: ActivityContextClass,
    invocation: Invocation,
    environment: ActivityEnvironment,
  ): unknown {
    return this.call(handler, new Context(invocation, environment));
  }

  /** Calls `@OnEvent` handlers. */
  invokeEvent(handler: WatchingHandler, cause: WatchingCause, invocation: Invocation, scope: InvocationScope): unknown {
    const context = new EventHandlerContext(cause, invocation, scope.events);
    return this.scopes.run(scope, () => this.call(handler, context));
  }

  /** Calls `@Index` handlers. */
  invokeIndex(handler: IndexingHandler, cause: IndexingCause, invocation: Invocation, scope: InvocationScope): unknown {
    const context = new IndexHandlerContext(cause, invocation, scope.events);
    return this.scopes.run(scope, () => this.call(handler, context));
  }

  /** Calls `@Daemon`, `@Timer`, and `@OnLog` handlers, and handlers of related objects. */
  invokeBackground(
    handler: BackgroundHandler,
    cause: SpawningCause,
    invocation: Invocation,
    { live, stopped, log }: { readonly live: LiveBody; readonly stopped: StopFlag; readonly log?: ContainerMessage },
    scope: InvocationScope,
  ): unknown {
    if (log) {
      const context = new LogHandlerContext(cause, invocation, scope.events, live, stopped, log);
      return this.scopes.run(scope, () => this.call(handler, context));
    }
    const relation = 'relation' in handler ? handler.relation : undefined;
    const context = relation
      ? new RelatedHandlerContext(cause, invocation, scope.events, live, stopped, relation.viewOf(scope.body))
      : new DaemonHandlerContext(cause, invocation, scope.events, live, stopped);
    return this.scopes.run(scope, () => this.call(handler, context));
  }

  /**
   * Calls `@OnCreate`, `@OnUpdate`, `@OnDelete`, `@OnField`, and `@OnResume` handlers, and their sub-handlers. Sub-handlers that a handler
   * has registered and not executed are executed after it, in its scope.
   */
  invokeChange(
    handler: ChangingHandler,
    cause: ChangingCause,
    invocation: Invocation,
    subhandling: Subhandling,
    scope: InvocationScope,
  ): unknown {
    const context = new ChangeHandlerContext(cause, invocation, scope.events, subhandling);
    return this.scopes.run(scope, () => {
      let returned: unknown;
      try {
        returned = this.call(handler, context);
      } catch (error) {
        if (!subhandling.isUsed) throw error;
        returned = Promise.reject(error as Error);
      }
      // Without sub-handlers, the result of a synchronous handler is final.
      return isThenable(returned) || subhandling.isUsed ? finish(returned, subhandling) : returned;
    });
  }

  /**
   * Calls `@Validate` and `@Mutate` handlers.
   *
   * @param check runs before the handler, in its scope; if it rejects, the handler is not called. Absent if there is nothing to check.
   */
  invokeAdmission(
    handler: AdmissionHandler,
    cause: AdmissionCause,
    invocation: Invocation,
    scope: InvocationScope,
    check?: () => Promise<void> | undefined,
  ): unknown {
    const context = new AdmissionHandlerContext(cause, invocation, scope.events);
    if (!check) return this.scopes.run(scope, () => this.call(handler, context));
    return this.scopes.run(scope, async () => {
      await check();
      return this.call(handler, context);
    });
  }

  /** Calls `@Convert` handlers. They have no scope, as they depend only on the object. */
  invokeConversion(handler: ConversionHandler, context: ConversionHandlerContext): unknown {
    return this.call(handler, context);
  }

  /** Ends the scopes of calls in progress in a simulated process that was killed: they never return. */
  protected abandonCalls(): void {
    this.scopes.abandon();
  }

  /** Calls a method of the user; no other code does. Sub-handlers are called as methods of their parent's class, too. */
  protected call(handler: Handler, context: object): unknown {
    const { parents } = handler as ResourceHandler;
    // An AsyncLocalStorage that the method enters, such as that of a logger, must not affect the handlers that are called after it.
    if (!parents || 'parent' in context) {
      const boundary = new AsyncResource('KopfHandler');
      return boundary.runInAsyncScope(() => handler.invoke.call(handler.instance, exposeMembers(context)));
    }
    return this.addParent(context, parents).then(() => this.call(handler, context));
  }

  private async addParent(context: object, parents: ParentLookup): Promise<void> {
    const { body } = context as { readonly body: KubeObject };
    Object.assign(context, { parent: await parents.find(body) });
  }
}

/** Awaits a handler, and then executes its sub-handlers. If the handler fails, it awaits those that have begun. */
async function finish(returned: unknown, subhandling: Subhandling): Promise<unknown> {
  try {
    const result = await returned;
    if (subhandling.isUsed) await subhandling.finish();
    return result;
  } catch (error) {
    await subhandling.settle();
    throw error;
  }
}
