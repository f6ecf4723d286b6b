import fc from 'fast-check';
import {
  isSameMoney,
  isSameToTheCent,
  productOf,
  sumOf,
} from '../../../../workflows/change-orders/decide/exact-money';

const decimal = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 6 }))
  .map(([isNegative, units, places]) => {
    const digits = String(units).padStart(places + 1, '0');
    const whole = digits.slice(0, digits.length - places);
    return `${isNegative ? '-' : ''}${places === 0 ? whole : `${whole}.${digits.slice(-places)}`}`;
  });

test.each([
  [[], '0.00'],
  [['0.1', '0.2'], '0.30'],
  [['99999999999999.99', '0.01'], '100000000000000.00'],
  [['-5', '4.995'], '-0.005'],
  [['1.000001', '-1.000001'], '0.000000'],
])('%j add up to %s', (amounts, sum) => {
  expect(sumOf(amounts)).toBe(sum);
});

test.each([
  ['12', '1850.10', '22201.20'],
  ['0.1', '0.1', '0.01'],
  ['-3', '0.5', '-1.5'],
  ['3', '7', '21'],
])('%s times %s is %s', (left, right, product) => {
  expect(productOf(left, right)).toBe(product);
});

test.each([
  ['5', '5.00', true],
  ['+5.0', '5', true],
  ['-0', '0.00', true],
  ['5', '-5', false],
  ['5.001', '5', false],
  ['0.1', '0.10000000000000001', false],
  ['1,000', '1000', false],
  ['', '0', false],
])('%s and %s mean the same: %s', (left, right, isSame) => {
  expect(isSameMoney(left, right)).toBe(isSame);
});

test.each([
  ['10.005', '10.01', true],
  ['10.00', '10.01', false],
  ['-0.004', '0.004', true],
  ['10', 'ten', false],
])('%s and %s are the same to the cent: %s', (left, right, isSame) => {
  expect(isSameToTheCent(left, right)).toBe(isSame);
});

test.each(['1e5', '.5', 'NaN', '1 000'])('%s is no decimal', text => {
  expect(() => sumOf([text])).toThrow(RangeError);
});

test('sums do not depend on the order, and taking away what was added leaves nothing', () => {
  fc.assert(
    fc.property(fc.array(decimal, { maxLength: 20 }), amounts => {
      const sum = sumOf(amounts);
      expect(isSameMoney(sumOf([...amounts].reverse()), sum)).toBe(true);
      const negated = amounts.map(amount => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`));
      expect(isSameMoney(sumOf([...amounts, ...negated]), '0')).toBe(true);
    }),
  );
});

test('a product by a whole number is that many times the sum', () => {
  fc.assert(
    fc.property(decimal, fc.integer({ min: 0, max: 12 }), (amount, count) => {
      const added = sumOf(Array.from({ length: count }, () => amount));
      expect(isSameMoney(productOf(amount, String(count)), added)).toBe(true);
    }),
  );
});
