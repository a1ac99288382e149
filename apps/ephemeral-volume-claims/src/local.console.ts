import type { IncomingMessage } from 'node:http';
import { userInfo } from 'node:os';
import type { CanActivate, DynamicModule, ExecutionContext } from '@nestjs/common';
import { KopfConsoleModule } from 'nestjs-kopf-console';

/** The names of this machine that lead to itself. */
const OWN_NAMES = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** Lets in who is on this machine, and has not come by a name that another site lets lead here. */
class LocalGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<IncomingMessage>();
    return OWN_NAMES.test(headers.host ?? '');
  }
}

/** The console with all actions, for an application that listens on the loopback interface only. */
export function createLocalConsole(): DynamicModule {
  return KopfConsoleModule.forRoot({
    guards: [new LocalGuard()],
    actions: {
      allow: ['retry', 'postpone', 'complete', 'repeat', 'release', 'pause', 'resume', 'memo'],
      authenticate: () => ({ user: userInfo().username }),
      // Who can start the operator on this machine can do anything with it.
      authorize: () => true,
    },
  });
}
