import { SetMetadata, UnauthorizedException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import type { KopfConsoleOptions } from 'nestjs-kopf-console';
import { PLATFORMS, type Platform } from '../../support/operators/served.operator.js';
import { ConsoleWorld, ShownOperator } from './console.world.js';

const IS_PUBLIC = 'isPublic';
const Public = () => SetMetadata(IS_PUBLIC, true);

/** The guard of an API, as APIs have it: no browser sends its header. */
class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (new Reflector().getAllAndOverride(IS_PUBLIC, [context.getHandler(), context.getClass()])) return true;
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    if (headers['x-api-key'] !== 'key') throw new UnauthorizedException('The key is missing.');
    return true;
  }
}

const basic = (user: string, password: string): Record<string, string> => {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
};
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe.each(Object.keys(PLATFORMS) as Platform[])('The console of an API with guards, on %s', (platform) => {
  function start(console: KopfConsoleOptions): Promise<ConsoleWorld> {
    const handlers = [ShownOperator, { provide: APP_GUARD, useClass: KeyGuard }];
    return ConsoleWorld.start({ platform, handlers, console });
  }

  async function get(world: ConsoleWorld, path: string, headers: Record<string, string> = {}) {
    const response = await world.harness.clock.runUntil(fetch(`${world.served.address}/kopf/${path}`, { headers }));
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  it('should say in a browser, by a page, that a guard has rejected the request', async () => {
    const world = await start({});
    const { status, headers, text } = await get(world, '', BROWSER);
    expect([status, headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).toContain('The key is missing.');
    expect(text).toContain('signIn of KopfConsoleModule');
    const { status: ofApi, text: json } = await get(world, 'api/overview', { accept: 'application/json' });
    expect([ofApi, JSON.parse(json)]).toMatchObject([401, { message: 'The key is missing.' }]);
    expect(await world.ask('overview', { 'x-api-key': 'key' })).toMatchObject({ status: 200 });
  });

  it('should be open for who signs in, with actions, if it is exempted', async () => {
    const world = await start({
      decorators: [Public()],
      signIn: { ada: 'the password: of ada' },
      actions: { allow: ['pause', 'resume'], authorize: ({ user }) => user === 'ada' },
    });
    const { status, headers, text } = await get(world, '', BROWSER);
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Kopf console", charset="UTF-8"']);
    expect(text).toContain('Sign in with a name and a password.');
    for (const wrong of [
      basic('ada', 'another one'),
      basic('bob', ''),
      basic('', ''),
      basic('toString', 'x'),
      { authorization: 'Bearer x' },
    ]) {
      expect(await world.ask('overview', wrong)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
      expect(await world.post('pause', { dryRun: false }, wrong)).toMatchObject({ status: 401 });
    }
    const ada = basic('ada', 'the password: of ada');
    expect(await world.get('overview', ada)).toMatchObject({ user: 'ada', actions: ['pause', 'resume'] });
    expect((await get(world, '', { ...BROWSER, ...ada })).status).toBe(200);
    await world.post('pause', { dryRun: false }, ada);
    expect((await world.get('overview', ada)).paused).toEqual([expect.stringContaining('ada has paused it')]);
  });

  it('should check a password by the function of the application', async () => {
    const signIn = async (user: string, password: string) => {
      return password === `of ${user}` ? { user, groups: ['ops'] } : undefined;
    };
    const world = await start({ decorators: [Public()], signIn });
    expect(await world.get('overview', basic('eve', 'of eve'))).toMatchObject({ user: 'eve', actions: [] });
    expect(await world.ask('overview', basic('bob', 'of eve'))).toMatchObject({ status: 401 });
  });
});
