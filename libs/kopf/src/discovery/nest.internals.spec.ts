import { Controller, Injectable, Module, UseGuards, type CanActivate } from '@nestjs/common';
import { ExternalContextCreator, ModulesContainer } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KopfBootstrapError } from '../common/kopf.errors.js';
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
    const pods = new Pods();
    expect(findEnhancers(pods, pods.guarded)).toEqual({ guards: true, interceptors: false, filters: false });
    expect(findEnhancers(pods, pods.plain)).toEqual({ guards: false, interceptors: false, filters: false });
  });

  describe('for controllers', () => {
    const setUp = async () => {
      const module = await Test.createTestingModule({ imports: [PodsModule] }).compile();
      onTestFinished(() => module.close());
      const contexts = module.get(ExternalContextCreator);
      const modules = module.get(ModulesContainer);
      return { contexts, modules, pods: module.get(Pods), service: module.get(Service) };
    };

    it('should be the private method that this version of Nest has', async () => {
      const { contexts, modules, pods, service } = await setUp();
      const found = contextsFor(pods, contexts, modules) as unknown as { getHostModuleKey(): string };
      expect(modules.get(found.getHostModuleKey())?.metatype).toBe(PodsModule);
      expect(contextsFor(service, contexts, modules)).toBe(contexts);
    });

    it('should be the one of Nest 11 where there is no other', async () => {
      const { modules, pods } = await setUp();
      const contexts = { getContextModuleKey: () => '' };
      const found = contextsFor(pods, contexts as never, modules) as unknown as typeof contexts;
      expect(modules.get(found.getContextModuleKey())?.metatype).toBe(PodsModule);
    });

    it('should be an error that names it, and the controller, when Nest has it no more', async () => {
      const { modules, pods } = await setUp();
      const find = (): unknown => contextsFor(pods, {} as never, modules);
      expect(find).toThrow(KopfBootstrapError);
      expect(find).toThrow(/Pods: ExternalContextCreator .* neither getHostModuleKey\(\) nor getContextModuleKey\(\)/);
    });
  });
});
