import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsLowercase, IsNotEmpty, IsString, Min } from 'class-validator';

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
  @IsLowercase()
  warehouse: string;
}
