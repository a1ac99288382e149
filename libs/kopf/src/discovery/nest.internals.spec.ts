import { Controller, Injectable, Module, UseGuards, type CanActivate } from '@nestjs/common';
import { ExternalContextCreator, ModulesContainer } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KopfBootstrapError } from '../common/kopf.errors.js';
import { passThroughPipes } from '../parameters/parameter.error.js';
import { contextsFor, findEnhancers } from './nest.internals.js';

const SOURCES = join(import.meta.dirname, '..');

@Injectable()
class Guard implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

@Controller()
class Pods {
  @UseGuards(Guard)
  guarded() {}

  plain() {}
}

@Injectable()
class Service {}

const OPTIONS = {
  globals: { guards: false, interceptors: false, pipes: false, filters: false },
  aroundPipes: passThroughPipes,
};

/** A fake of Nest's creator of contexts, with the members that the library replaces. */
const MEMBERS = {
  guardsContextCreator: {},
  interceptorsContextCreator: {},
  pipesContextCreator: {},
  filtersContextCreator: {},
  pipesConsumer: { apply: () => undefined },
};

@Module({ controllers: [Pods], providers: [Service] })
class PodsModule {}

describe("What the library uses of Nest's insides", () => {
  it('should be imported by one file', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const deep = files.filter((file) =>
      /(from|import\()\s*['"]@nestjs\/(common|core|terminus)\//.test(readFileSync(join(SOURCES, file), 'utf8')),
    );
    expect(deep).toEqual([join('discovery', 'nest.internals.ts')]);
  });

  it('should tell whether a method has enhancers', () => {
    const { guarded, plain } = new Pods();
    const none = { guards: false, interceptors: false, pipes: false, filters: false };
    expect(findEnhancers(Pods, guarded)).toEqual({ ...none, guards: true });
    expect(findEnhancers(Pods, plain)).toEqual(none);
  });

  describe('for controllers', () => {
    const setUp = async () => {
      const module = await Test.createTestingModule({ imports: [PodsModule] }).compile();
      onTestFinished(() => module.close());
      const contexts = module.get(ExternalContextCreator);
      const modules = module.get(ModulesContainer);
      const { controllers, providers } = [...modules.values()].find(({ metatype }) => metatype === PodsModule)!;
      return { contexts, modules, pods: controllers.get(Pods)!, service: providers.get(Service)! };
    };

    it('should be the private method that this version of Nest has', async () => {
      const { contexts, modules, pods, service } = await setUp();
      const found = contextsFor(pods, contexts, modules, OPTIONS) as unknown as { getHostModuleKey(): string };
      expect(modules.get(found.getHostModuleKey())?.metatype).toBe(PodsModule);
      const ofProvider = contextsFor(service, contexts, modules, OPTIONS) as unknown as typeof found;
      expect(ofProvider.getHostModuleKey).toBe((contexts as unknown as typeof found).getHostModuleKey);
    });

    it('should be the one of Nest 11 where there is no other', async () => {
      const { modules, pods } = await setUp();
      const contexts = { ...MEMBERS, getContextModuleKey: () => '' };
      const found = contextsFor(pods, contexts as never, modules, OPTIONS) as unknown as typeof contexts;
      expect(modules.get(found.getContextModuleKey())?.metatype).toBe(PodsModule);
    });

    it('should be an error that names it, and the controller, when Nest has it no more', async () => {
      const { modules, pods } = await setUp();
      const find = (): unknown => contextsFor(pods, MEMBERS as never, modules, OPTIONS);
      expect(find).toThrow(KopfBootstrapError);
      expect(find).toThrow(/Pods: ExternalContextCreator .* neither getHostModuleKey\(\) nor getContextModuleKey\(\)/);
    });
  });

  it('should be an error that names the class, when Nest has another way to find enhancers or to apply pipes', async () => {
    const wrapper = { name: 'Pods' } as never;
    for (const missing of Object.keys(MEMBERS)) {
      const contexts = { ...MEMBERS, [missing]: undefined };
      const find = (): unknown => contextsFor(wrapper, contexts as never, new Map() as never, OPTIONS);
      expect(find).toThrow(`Pods: ExternalContextCreator of the installed @nestjs/core has no ${missing}, `);
    }
  });
});
