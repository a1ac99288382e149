// #region imports
import { Injectable, Module, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { KopfModule } from 'nestjs-kopf';
import {
  KopfConsoleModule,
  type ConsoleViewer,
  type KopfConsoleOptionsFactory,
  type KopfConsoleSettings,
} from 'nestjs-kopf-console';

interface AppRequest {
  readonly headers: Record<string, string | undefined>;
  user?: ConsoleViewer;
}

// Of the application, and of @nestjs/throttler.
function Public(): ClassDecorator {
  return SetMetadata('isPublic', true);
}
function SkipThrottle(): ClassDecorator {
  return SetMetadata('THROTTLER:SKIPdefault', true);
}
async function verifyPassword(user: string, password: string): Promise<ConsoleViewer | undefined> {
  return password === `the password of ${user}` ? { user, groups: ['ops'] } : undefined;
}
// #endregion

// #region ready-made
@Module({ imports: [KopfConsoleModule.forRoot(), KopfModule.forRoot()] })
export class AppModule {}
// #endregion

// #region signed-in
@Module({
  imports: [
    KopfConsoleModule.forRoot({
      // What the global guards look for: @Public() of the application, and @SkipThrottle() of @nestjs/throttler.
      decorators: [Public(), SkipThrottle()],
      signIn: (user, password) => verifyPassword(user, password),
      actions: { allow: ['retry', 'repeat'] },
    }),
    KopfModule.forRoot(),
  ],
})
export class SignedInModule {}
// #endregion

// #region guarded
@Injectable()
export class ConsoleGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AppRequest>();
    // An authenticating proxy before the application sets it, and lets no client do so.
    const user = request.headers['x-forwarded-user'];
    if (user === undefined) return false;
    request.user = { user, groups: request.headers['x-forwarded-groups']?.split(',') };
    return true;
  }
}

@Module({
  imports: [
    KopfConsoleModule.forRoot({
      guards: [ConsoleGuard],
      providers: [ConsoleGuard],
      actions: {
        allow: ['retry', 'postpone', 'pause', 'resume'],
        authenticate: ({ user }: AppRequest) => user,
      },
    }),
    KopfModule.forRoot(),
  ],
})
export class GuardedModule {}
// #endregion

// #region own-rules
@Injectable()
export class ConsoleConfig implements KopfConsoleOptionsFactory {
  createKopfConsoleOptions(): KopfConsoleSettings {
    return {
      actions: {
        allow: ['retry'],
        authenticate: ({ user }: AppRequest) => user,
        authorize: ({ user }, action, object) => user === 'admin' || object?.namespace === `team-${user}`,
      },
      redact: [{ resource: 'configmaps', fields: ['data.password'] }],
      history: { keep: 'viewed', perObject: 50 },
      traceUrl: 'https://tempo.example.com/trace/{traceId}',
    };
  }
}

@Module({
  imports: [KopfConsoleModule.forRootAsync({ path: 'ops/kopf', useClass: ConsoleConfig }), KopfModule.forRoot()],
})
export class ConfiguredModule {}
// #endregion
