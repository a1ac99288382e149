import {
  Controller,
  ForbiddenException,
  Get,
  Inject,
  Injectable,
  Module,
  SetMetadata,
  VersioningType,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
} from '@nestjs/common';
import { APP_GUARD, Reflector, RouterModule } from '@nestjs/core';
import { OnEvent } from 'nestjs-kopf';
import { KopfHealthModule, type KopfHealthOptions } from 'nestjs-kopf/health';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import {
  PLATFORMS,
  ServedOperator,
  type Platform,
  type ServedOptions,
} from '../../support/operators/served.operator.js';

class Watching {
  @OnEvent(...KEX)
  note() {}
}

@Controller('items')
class ItemsController {
  @Get()
  list() {
    return [];
  }
}

@Injectable()
class Tokens {
  readonly valid = 'secret';
}

@Module({ providers: [Tokens], exports: [Tokens] })
class TokensModule {}

@Injectable()
class TokenGuard implements CanActivate {
  constructor(@Inject(Tokens) private readonly tokens: Tokens) {}

  canActivate(context: ExecutionContext) {
    return context.switchToHttp().getRequest<{ headers: object }>().headers['x-token' as never] === this.tokens.valid;
  }
}

/** Rejects everything but what is public. */
@Injectable()
class GlobalGuard implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext) {
    if (this.reflector.get('public', context.getClass())) return true;
    throw new ForbiddenException();
  }
}

describe.each(Object.keys(PLATFORMS) as Platform[])('The routes of the health with %s', (platform) => {
  async function serve(
    health: KopfHealthOptions,
    prepare?: (app: INestApplication) => void,
    more: Partial<ServedOptions> = {},
  ): Promise<ServedOperator> {
    const { imports = [], ...rest } = more;
    const served = await ServedOperator.start(await OperatorHarness.start(), {
      platform,
      handlers: [Watching],
      controllers: [ItemsController],
      imports: [KopfHealthModule.forRoot({ controller: true, ...health }), ...imports!],
      prepare,
      ...rest,
    });
    await served.ready();
    return served;
  }

  /** The statuses of the answers. */
  async function statusesOf(served: ServedOperator, ...paths: string[]): Promise<readonly number[]> {
    return Promise.all(paths.map(async (path) => (await served.get(path)).status));
  }

  it('should have guards, with what is injected into them', async () => {
    const served = await serve({ guards: [TokenGuard], imports: [TokensModule] });
    expect(await statusesOf(served, '/healthz', '/readyz', '/items')).toEqual([403, 403, 200]);
    expect((await served.get('/healthz', { 'x-token': 'secret' })).status).toBe(200);
  });

  it('should have guards with providers of the module itself, and guards that are instances', async () => {
    const guard = { canActivate: () => true };
    const served = await serve({ guards: [guard, TokenGuard], providers: [Tokens] });
    expect((await served.get('/readyz')).status).toBe(403);
    expect((await served.get('/readyz', { 'x-token': 'secret' })).status).toBe(200);
  });

  it('should have decorators, such as those that exempt them from global guards', async () => {
    const handlers = [Watching, { provide: APP_GUARD, useClass: GlobalGuard }];
    const closed = await serve({}, undefined, { handlers });
    expect(await statusesOf(closed, '/healthz', '/items')).toEqual([403, 403]);
    const open = await serve({ decorators: [SetMetadata('public', true)] }, undefined, { handlers });
    expect(await statusesOf(open, '/healthz', '/readyz', '/items')).toEqual([200, 200, 403]);
  });

  it('should be under the global prefix', async () => {
    const served = await serve({}, (app) => app.setGlobalPrefix('api'));
    expect(await statusesOf(served, '/api/healthz', '/healthz', '/api/items')).toEqual([200, 404, 200]);
  });

  it('should be exempt from the global prefix, beside what the application exempts', async () => {
    const served = await serve({ globalPrefix: false, livenessPath: 'ops/live' }, (app) =>
      app.setGlobalPrefix('api', { exclude: ['items'] }),
    );
    expect(await statusesOf(served, '/ops/live', '/readyz', '/items')).toEqual([200, 200, 200]);
    expect(await statusesOf(served, '/api/ops/live', '/api/readyz', '/api/items')).toEqual([404, 404, 404]);
  });

  it('should be exempt from the global prefix under the path that RouterModule gives the module', async () => {
    const served = await serve({ globalPrefix: false }, (app) => app.setGlobalPrefix('api'), {
      imports: [RouterModule.register([{ path: 'ops', module: KopfHealthModule }])],
    });
    expect(await statusesOf(served, '/ops/healthz', '/api/ops/healthz', '/api/items')).toEqual([200, 404, 200]);
  });

  it('should have no version, whatever versions the application has', async () => {
    const served = await serve({ globalPrefix: false }, (app) => {
      app.setGlobalPrefix('api');
      app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
    });
    expect(await statusesOf(served, '/healthz', '/v1/healthz', '/api/v1/items')).toEqual([200, 404, 200]);
  });

  it('should be exempt with options that are made when the application starts, too', async () => {
    const served = await ServedOperator.start(await OperatorHarness.start(), {
      platform,
      handlers: [Watching],
      imports: [
        KopfHealthModule.forRootAsync({
          controller: true,
          globalPrefix: false,
          guards: [TokenGuard],
          imports: [TokensModule],
          useFactory: () => ({ key: 'volumes' }),
        }),
      ],
      prepare: (app) => app.setGlobalPrefix('api'),
    });
    await served.ready();
    expect(await statusesOf(served, '/healthz', '/api/healthz')).toEqual([403, 404]);
    expect((await served.get('/healthz', { 'x-token': 'secret' })).body.details).toHaveProperty('volumes');
  });
});

describe('A service whose operator does not work on purpose', () => {
  it.each([
    ['not be ready', false, 503],
    ['be ready if the option says so', true, 200],
  ])('should %s', async (_what, readyWhenStopped, status) => {
    const harness = await OperatorHarness.start();
    const served = await ServedOperator.start(harness, {
      platform: 'Express',
      handlers: [Watching],
      imports: [KopfHealthModule.forRoot({ controller: true, readyWhenStopped })],
      options: { enabled: false },
    });
    expect((await served.get('/readyz')).status).toBe(status);
    await harness.clock.runUntil(served.operator.start());
    await served.ready();
    expect((await served.get('/readyz')).status).toBe(200);
    await harness.clock.runUntil(served.operator.stop());
    expect((await served.get('/readyz')).status).toBe(status);
    expect((await served.get('/healthz')).status).toBe(200);
  });
});
