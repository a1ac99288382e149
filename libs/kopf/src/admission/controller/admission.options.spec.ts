import { checkAddress, type KopfAdmissionAddress } from './admission.options.js';
import { KopfAdmissionModule } from './kopf-admission.module.js';

describe('the options of KopfAdmissionModule', () => {
  it.each<[KopfAdmissionAddress]>([
    [{}],
    [{ url: 'https://host' }],
    [{ url: 'https://host:8443/base/', caBundle: 'YQ==' }],
    [{ service: { name: 'a', namespace: 'b', port: 1 } }],
  ])('should accept the address %j', (address) => {
    expect(() => checkAddress(address)).not.toThrow();
  });

  it.each<[KopfAdmissionAddress, string]>([
    [{ url: 'http://host' }, 'must be a URL that begins with https://'],
    [{ url: 'host' }, 'must be a URL'],
    [{ url: 'https://host/?a=b' }, 'neither a query nor a fragment'],
    [{ url: 'https://me@host/' }, 'must be a URL'],
    [{ service: { namespace: 'b' } }, 'service must be an object with a name'],
    [{ url: 'https://host', service: { name: 'a' } }, "url excludes the option 'service'"],
  ])('should refuse the address %j', (address, violation) => {
    expect(() => checkAddress(address)).toThrow(violation);
  });

  it.each(['', '/', '//'])('should refuse the path "%s"', (path) => {
    expect(() => KopfAdmissionModule.forRoot({ path })).toThrow(
      /^The options of KopfAdmissionModule are wrong: path must be/,
    );
  });

  it('should compare a name that does not exist with the options of the function that it was given to', () => {
    const options = { whatever: [] } as never;
    expect(() => KopfAdmissionModule.forRoot(options)).toThrow(
      'whatever does not exist; there are url, service, caBundle, operator, path, guards, decorators, imports, providers.',
    );
    expect(() => KopfAdmissionModule.forRootAsync(options)).toThrow('useFactory, useClass, useExisting, inject;');
  });

  it('should name each option that is wrong or does not exist', () => {
    const options = { pth: 'x', guards: 5, useFactory: undefined } as never;
    expect(() => KopfAdmissionModule.forRootAsync(options)).toThrow(
      'pth does not exist; did you mean path?; guards must be a list; useFactory is missing, as are useClass and useExisting.',
    );
    expect(() => checkAddress({ uri: 'https://host' } as never)).toThrow('uri does not exist; did you mean url?');
  });
});
