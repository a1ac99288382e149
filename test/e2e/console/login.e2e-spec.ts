import { Injectable, Module, UseGuards, type CanActivate } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { KopfConsoleOptions } from 'nestjs-kopf-console';
import { ConsoleWorld } from './console.world.js';

@Injectable()
class Guard implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

@Module({ providers: [{ provide: APP_GUARD, useClass: Guard }] })
class GuardedModule {}

async function warningsOf(console: KopfConsoleOptions, imports: (typeof GuardedModule)[] = []) {
  const { harness } = await ConsoleWorld.start({ console, imports });
  return harness.logger.messages('warn').filter((text) => text.includes('console'));
}

describe('A console without a login', () => {
  it('should be warned of at the start', async () => {
    expect(await warningsOf({})).toEqual([
      'The console has no login: everyone who reaches it sees the objects of the operator. Give KopfConsoleModule the option signIn ' +
        'or guards, or an empty list of guards if a proxy asks for a login.',
    ]);
  });

  it.each<[string, KopfConsoleOptions, (typeof GuardedModule)[]?]>([
    ['it has guards', { guards: [new Guard()] }],
    ['it has guards by another decorator', { decorators: [UseGuards(new Guard())] }],
    ['the application has guards', {}, [GuardedModule]],
    ['viewers sign in', { signIn: { admin: 'a long secret' } }],
    ['the options say that something else asks for one', { guards: [] }],
  ])('should not be warned of if %s', async (_, options, imports) => {
    expect(await warningsOf(options, imports)).toEqual([]);
  });
});
