import { VersioningType } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { AdmissionRoute } from './admission.route.js';

const make = (path: string, config = new ApplicationConfig()) =>
  new AdmissionRoute(path, class {}, config, new ModulesContainer());

describe('AdmissionRoute', () => {
  it.each([
    ['admission', '', '/admission'],
    ['/admission/', '', '/admission'],
    ['hooks/admission', '', '/hooks/admission'],
    ['admission', 'api', '/api/admission'],
    ['admission', '/api/', '/api/admission'],
  ])('should find the path %s under the prefix %s', (path, prefix, base) => {
    const config = new ApplicationConfig();
    const route = make(path, config);
    expect(route.base).not.toContain('*');
    if (prefix) config.setGlobalPrefix(prefix);
    expect(route.base).toBe(base);
  });

  it('should have no version', () => {
    const config = new ApplicationConfig();
    config.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' });
    expect(make('admission', config).base).toBe('/admission');
  });

  it.each([
    ['/admission', true],
    ['/admission/check', true],
    ['/admission?timeout=10s', true],
    ['/admissions', false],
    ['/other/admission', false],
    ['', false],
  ])('should know whether %s leads there', (url, expected) => {
    expect(make('admission').leads(url)).toBe(expected);
  });
});
