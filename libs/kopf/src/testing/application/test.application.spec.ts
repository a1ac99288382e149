import { Module, SetMetadata } from '@nestjs/common';
import { HANDLERS_MODULE } from '../../decorators/module.notice.js';
import { KopfModule } from '../../kopf.module.js';
import { addKopf } from './test.application.js';

@Module({ imports: [KopfModule.forRoot()] })
class OperatorModule {}

@Module({})
class OtherModule {}

/** The module of an application that has loaded the library once more. */
@SetMetadata(HANDLERS_MODULE, true)
@Module({})
class CopiedKopfModule {}

@Module({ imports: [CopiedKopfModule] })
class CopiedOperatorModule {}

describe('addKopf', () => {
  it('should add KopfModule only to imports that do not bring it', async () => {
    expect(await addKopf([OperatorModule])).toEqual([OperatorModule]);
    expect(await addKopf([OtherModule])).toMatchObject([OtherModule, { module: KopfModule }]);
  });

  it('should add no second operator to one of another copy of the library', async () => {
    await expect(addKopf([OtherModule, CopiedOperatorModule])).rejects.toThrow(/another copy of nestjs-kopf/);
    await expect(addKopf([Promise.resolve({ module: CopiedKopfModule })])).rejects.toThrow('`npm ls nestjs-kopf`');
  });
});
