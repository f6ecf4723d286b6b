import { isWholeXml } from '../../../../activities/registers/sheet/whole-xml';

test.each([
  '<a/>',
  '<?xml version="1.0"?>\r\n<a b="1" c=\'>2\'><x:d>3 &amp; &#x4e2d; &#10; &#55295; &#57344;</x:d><!-- & < > --><e /></a>\n',
  '\ufeff<a>日本語<![CDATA[ & < ]]></a>',
  '<a b="c=\'1\' c=" c="1" bb="2"/>',
  '<a\n  b = "1"\n>> "quoted"</a >',
])('%j is whole', text => {
  expect(isWholeXml(Buffer.from(text))).toBe(true);
});

test.each([
  '',
  '<a>',
  '</a>',
  '<a></b>',
  '<a><b></a></b>',
  '<a/><a/>',
  '<a/> b',
  '<a b=1/>',
  '<a ,="1"/>',
  '<a b="1/>',
  '<a b="1" c="2" b="3"/>',
  '<a b="<"/>',
  '<a>&b;</a>',
  '<a>&amp</a>',
  '<a>&#xD83C;</a>',
  '<a>&#57343;</a>',
  '<a b="&nbsp;"/>',
  '<a>]]></a>',
  '<a>\0</a>',
  '<a><!-- </a>',
  '<!DOCTYPE a [<!ENTITY b "c">]><a/>',
])('%j is not', text => {
  expect(isWholeXml(Buffer.from(text))).toBe(false);
});

test('letters in another encoding than UTF-8 are not guessed at', () => {
  expect(isWholeXml(Buffer.from('<a>Höhe</a>', 'latin1'))).toBe(false);
});
