import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsNotEmpty, IsString, Min } from 'class-validator';

/** Describes an item, as requests do. */
export class ItemDto {
  @ApiProperty()
  @IsString()
  @IsNotEmpty()
  title: string;

  @ApiProperty({ default: 0 })
  @IsInt()
  @Min(0)
  quantity: number = 0;

  @ApiProperty()
  @IsString()
  @IsNotEmpty()
  warehouse: string;
}
