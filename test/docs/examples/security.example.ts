// #region imports
import { Module } from '@nestjs/common';
import { KopfModule } from 'nestjs-kopf';
// #endregion

// #region fields
@Module({
  imports: [
    KopfModule.forRoot({
      redaction: {
        fields: [
          { resource: 'configmaps', fields: ['data.password', ['data', 'app.properties']] },
          { resource: ['kopf.dev/v1', 'kopfexamples'], fields: ['spec.*.token'] },
        ],
      },
    }),
  ],
})
export class AppModule {}
// #endregion
