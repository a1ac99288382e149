import { Module, type DynamicModule } from '@nestjs/common';
import { KopfModule, OnEvent } from 'nestjs-kopf';
import { KopfConsoleModule, type KopfConsoleOptions } from 'nestjs-kopf-console';
import { generateManifests } from 'nestjs-kopf-cli';

class Operator {
  @OnEvent('pods')
  note() {}
}

async function rulesFor(module: DynamicModule): Promise<string> {
  @Module({ imports: [module, KopfModule.forRoot()], providers: [Operator] })
  class AppModule {}
  return JSON.stringify(await generateManifests(AppModule, { name: 'shown', image: 'shown:1' }));
}

describe('The permissions that the console needs', () => {
  it.each<[string, boolean, KopfConsoleOptions]>([
    ['for nobody who only looks', false, {}],
    [
      'for actions that the API server decides on',
      true,
      { actions: { allow: ['retry'], authenticate: () => undefined } },
    ],
    [
      'for actions that the application decides on',
      false,
      { actions: { allow: ['retry'], authenticate: () => undefined, authorize: () => true } },
    ],
  ])('should be generated %s: %s', async (_, isNeeded, options) => {
    const rules = await rulesFor(KopfConsoleModule.forRoot(options));
    expect(rules).toContain('pods');
    expect(rules.includes('subjectaccessreviews')).toBe(isNeeded);
  });

  it('should be generated for options that are made later', async () => {
    const rules = await rulesFor(KopfConsoleModule.forRootAsync({ useFactory: () => ({}) }));
    expect(rules).toContain('subjectaccessreviews');
  });
});
