// #region imports
import { Module } from '@nestjs/common';
import { KopfModule } from 'nestjs-kopf';
import { AnnotationsDiffBaseStorage, DigestDiffBaseStorage } from 'nestjs-kopf/storages';
// #endregion

// #region fields
@Module({
  imports: [
    KopfModule.forRoot({
      redaction: {
        fields: [
          { resource: 'configmaps', fields: ['data.password', ['data', 'app.properties']] },
          { resource: ['example.com/v1', 'disks'], fields: ['spec.*.token'] },
        ],
      },
    }),
  ],
})
export class AppModule {}
// #endregion

// #region digests
export const digests = (keys: readonly string[]) => ({
  persistence: {
    diffbaseStorage: new DigestDiffBaseStorage(new AnnotationsDiffBaseStorage(), {
      keys,
      fields: [
        { apiVersion: 'v1', kind: 'Secret', fields: ['data', 'stringData'] },
        { apiVersion: 'example.com/v1', kind: 'Disk', fields: ['spec.*.token'] },
      ],
    }),
  },
});

@Module({
  imports: [KopfModule.forRootAsync({ useFactory: () => digests([process.env.DIGEST_KEY ?? '']) })],
})
export class DigestingModule {}
// #endregion
