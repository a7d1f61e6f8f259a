// Pure: values in, values out.
import type { WordedKind } from "./sensitive-words.ts";

/** Spanish, Portuguese, German and French phrases of private matters, without accents; see `phrasePattern`. */
export const LATIN: Readonly<Record<WordedKind, string>> = {
  health: String.raw`
      diagnosticad[oa]s?; diagnostico de; tiene (?:cancer|diabetes|asma|ansiedad|fiebre|gripe|covid); depresion
      ansiedad; embarazad[ao]; embarazo; hospitalizad[oa]; operaron; cirugia; quimioterapia; psicolog[oa]
      psiquiatra; terapia; (?:esta|estuvo|estaba) (?:muy )?(?:enferm[oa]|deprimid[oa]|ingresad[oa]); enfermedad~
      alergic[oa] a; medicacion; antidepresivos
      (?:tem|teve|esta com) (?:cancer|diabetes|asma|ansiedade|febre|gripe|covid|depressao); depressao; ansiedade
      gravid[ao]; gravidez; (?:esta|estava|ficou) (?:muito )?(?:doente|internad[oa]|deprimid[oa]); doenca~; cirurgia
      psicologa?; remedios? para; diagnose; diagnostiziert; diabetes; depressionen; depressiv; schwanger(?:schaft)?
      krebs(?:kran~|diagnose); hat krebs; krankenhaus; (?:ist|war|seit .. ) (?:sehr |schwer |chronisch )?krank
      ist .. krank; krankheit~; erkrankt; krankgeschrieben; operiert; therapeut(?:in)?; psychiater(?:in)?
      medikamente?; allergisch gegen; angststorung; essstorung; magersuchtig; alkoholiker(?:in)?; behindert
      behinderung; (?:il|elle|somebody) est (?:tres )?malade; maladie~; enceinte; hopital; cancer d[eu]~
      (?:a|avait) un cancer; diabetique; depressif|depressive; diagnostiquee?; psychologue; psychiatre
      antidepresseurs?; allergique a(?:ux?)?; opere(?:e)? d[eu]~; chimio(?:therapie)?; anxiete
      operad[oa]s?(?: d[eoa]~| por)?; (?:cayo|sigue|anda|se puso) enferm[oa]; alcoholic[oa]; drogas; drogadict[oa]
      discapacidad; (?:tomar?|toma) (?:pastillas|medicamentos|remedios?|antidepressivos); alcoolatra; deficiencia
      tratamento (?:contra|para|de); ansios[oa]; insomnio; insonia; migranas?; enxaquecas?; autista; tdah
      beim (?:arzt|psycholog\p{L}{0,5}|therapeut\p{L}{0,3}|zahnarzt); arbeitsunfahig; reha
      (?:drogen|alkohol|spiel)?suchtig; drogen
      (?:angst|ess|schlaf|zwangs|belastungs|personlichkeits|lese|bipolare )storung(?:en)?; verletzt am
      gebrochen(?:e[nrs]?)? (?:arm|bein|fuß|hand|nase|finger)?; (?:arm|bein|fuß|hand|nase|finger) gebrochen; migrane
      autist(?:in|isch)?; grippe; fieber; panikattacken?; selbstmord~; suizid~
      chez le (?:medecin|psy|docteur|dentiste); (?:a ete |est )?(?:hospitalisee?|operee?)(?: d[eu]~)?; alcoolique
      handicapee?s?; drogue~; se drogue; burn ?out; sous traitement
      (?:s'est|a) casse~ (?:le|la|un|une) (?:bras|jambe|pied|main|nez|doigt|cheville|poignet); angoisse~; insomnie~
      autiste; suicidaire; fausse couche`,
  money: String.raw`
      (?:su|mi|el) (?:sueldo|salario); sueldo; deudas?; endeudad[oa]; hipoteca; prestamos? (?:del|de) banco
      cuenta bancaria; tarjeta de credito; (?:esta|en) (?:bancarrota|paro|quiebra)
      gana \d[\d.,]* ?(?:€|euros|pesos|dolares|mil)~; no puede pagar; sin dinero; salario; dividas?; endividad[oa]
      emprestimo; conta bancaria; cartao de credito; falid[oa]; ganha \d[\d.,]* ?(?:reais|euros|mil)~
      aluguel atrasado; desempregad[oa]; gehalt; schulden; verschuldet; kredit(?:karte|e)?; hypothek; kontonummer
      bankkonto; pleite; einkommen; verdient \d[\d.,]* ?(?:€|euro|k|tausend)~; (?:kann|konnte) .. miete nicht
      hartz ?(?:4|iv); burgergeld; arbeitslosengeld; privatinsolvenz; salaires?; dettes?; endettee?
      pret (?:etudiant|immobilier|bancaire); compte (?:bancaire|en banque); carte (?:bancaire|bleue|de credit)
      gagne \d[\d.,]* ?(?:€|euros|k|balles); decouvert; fauchee?; au chomage
      (?:n'arrive|arrive) (?:pas|plus) a payer; loyer; sin trabajo; perdio (?:su|el) trabajo; despedid[oa]
      (?:esta|estou|ficou) sem dinheiro; perdeu o emprego; demitid[oa]; nao (?:consegue|pode) pagar; arbeitslos~
      (?:hat|verlor) .. (?:job|arbeit) verloren; gekundigt; kein geld; geldsorgen; sozialhilfe
      a perdu son (?:travail|emploi|boulot); licenciee?; sans (?:argent|emploi); ruinee?; millionar~`,
  address: String.raw`
      (?:su|mi) (?:direccion|domicilio); direccion (?:es|de su casa); codigo postal
      vive en (?:la )?(?:calle|avenida|plaza|paseo); (?:calle|avenida|avda|paseo|carrera) .. \d{1,4}
      (?:seu|meu) endereco; endereco (?:e|dele|dela); cep (?:e|dele|dela)
      mora na (?:rua|avenida|travessa|alameda|praca); (?:rua|avenida|travessa|alameda) .. \d{1,4}
      (?:seine|ihre|meine) (?:adresse|anschrift); wohnt (?:in der|am|im|an der) .. (?:nr )?\d{1,4}\p{L}?
      \p{L}{2,24}(?:stra(?:ss|ß)e|str\.?|gasse|allee|(?<!um|aus|ab)weg) \d{1,4}\p{L}?; postleitzahl
      wohnt in der \p{L}{2,24}(?:stra(?:ss|ß)e|gasse|allee); (?:son|mon|leur) adresse; l adresse de somebody
      code postal; (?:habite|vit) (?:au )?\d{1,4},? (?:bis )?(?:rue|avenue|boulevard|place|impasse|chemin|allee)
      \d{1,4},? (?:bis )?(?:rue|boulevard|impasse|chemin|allee) d(?:e|u|es)~; habite rue`,
  phone: `
      (?:numero|numeros) de (?:telefono|movil|celular|telefone|telemovel|whatsapp|telephone|portable)
      (?:su|mi) (?:telefono|movil|celular) es; (?:seu|meu) (?:telefone|celular|whatsapp) e; telefonnummer
      handynummer; (?:seine|ihre|meine) nummer (?:ist|lautet); (?:son|mon) (?:numero|06|portable) (?:est|c)`,
  email: `
      correo(?: electronico)? (?:es|de); (?:su|mi) (?:correo|email|mail); (?:seu|meu) (?:e ?mail|email)
      (?:seine|ihre|meine) (?:e ?mail|mail)(?: adresse)?; (?:son|mon) (?:e ?mail|mail|courriel)
      adresse (?:e ?)?mail; e ?mail adresse; direccion de correo`,
  password: `
      contrasenas?; (?:su|mi) clave; senha (?:d[aeo]|e|dele|dela); (?:sua|minha) senha; passw(?:o|oe)rt(?:er)?
      kennwort; zugangsdaten; mots? de passe; identifiants de connexion; code pin; codigo pin`,
  relationship: `
      (?:su|mi|tiene) (?:nov[io]o?a?|espos[oa]|marido|mujer|pareja|ex); novi[oa]s?; espos[oa]; casad[oa](?: con)?
      divorciad[oa]; divorcio; se divorcio; solter[oa]; separad[oa] de; (?:rompio|corto) con; prometid[oa]
      su amante; namorad[oa]s?; namorando; marido; esposa; noiv[oa]; (?:seu|sua|meu|minha) (?:ex|marido|mulher)
      terminou com; solteir[oa]; se separou; verheiratet; geschieden; scheidung; ehe(?:frau|mann|partner(?:in)?)
      verlobt(?:e|er)?; (?:seine|ihre|meine|feste) (?:freundin|frau|ex)
      (?:ihr|ihren|mein|sein|fester?) (?:freund|mann|ex); getrennt von; (?:ist|wieder) single; schluss gemacht
      trennung; beziehung mit; hochzeit; fremdgegangen; affare; (?:la copine de|sa copine|ma copine)
      (?:sa|ma|une) (?:femme|petite amie|compagne|ex); (?:son|mon) copain
      (?:son|mon|le) (?:mari|petit ami|compagnon|ex); petite? amie?; divorcee?; divorce; fiance(?:e|s)?
      marie(?:e|s)? avec; (?:est|s'est) mariee?; celibataire; en couple; (?:a )?rompu avec; s'est separee?
      epou(?:x|se); divorc~; scheid(?:en|ung)~; (?:hat|habe|ist) .. (?:verliebt|getrennt|verlassen); verliebt in
      liebeskummer; enamorad[oa] de; apaixonad[oa] por; amoureu(?:x|se) de; rupture; infidel~; infiel
      trai(?:u|ndo) (?:a|o)~; trompe~ (?:sa|son); viud[oa]; viuv[oa]; veu(?:f|ve); verwitwet
      (?:su|mi) (?:divorcio|boda); casamento; mariage; boda`,
  sexuality: `
      lesbiana; homosexual~; bisexual~; transexual~; salio del armario; lesbica; assumiu(?: se)? (?:gay|lesbica|bi)
      saiu do armario; schwul(?:e|er)?; lesbisch; bisexuell; homosexuell; transgeschlechtlich; geoutet
      hat sich .. geoutet; sexualleben; homosexuel(?:le)?; lesbienne; bisexuel(?:le)?; transgenre; son coming out
      vie sexuelle; orientacion sexual; orientacao sexual; sexuelle orientierung; orientation sexuelle; gays
      trans(?:genero|gender|sexuel~|sexual~); bisexuel(?:le)?s?; asexuel~; asexuell; sale del closet
      salir del closet; salio del closet; coming out; sexleben; pornos?; schwule[rns]?; lesbe; lesben; maricon; sex
      sexo; sexe`,
  politics: String.raw`
      (?:voto|vota|votou|votara|votar|votava|apoya|apoia) (?:a|por|al|em|no|na|o|pelo|pela) (?:(?:la|el|los|o
        |a) )?(?:izquierda|derecha|esquerda|direita|centro|pp|psoe|vox|podemos|sumar|milei|peron\p{L}{3,5}|lula
        |bolsonaro|pt|psdb|chega|comunist~|socialist~|liberal~|republican~|trump)
      elecciones (?:generales|municipales|presidenciales|europeas|autonomicas)
      (?:en|las) elecciones(?! (?:de|del) (?:juego|dialogo|final))
      partido (?:popular|socialista|comunista|dos trabalhadores|liberal|republicano|democrata); podemos y el
      politic[oa]s?; de (?:izquierdas?|derechas?|esquerda|direita); izquierdista; esquerdista; bolsonarista; petista
      presidente lula; bolsonaro; pedro sanchez; eleicoes; eleicao; comunista; socialista; fascista; anarquista
      feminista; peronista; milei; (?:wahlt|wahlte|gewahlt hat) .. (?:afd|spd|cdu|csu|fdp|grunen?|linke|linken|bsw)
      (?:afd|spd|cdu|csu|fdp)(?:wahler~| mitglied)?; bundestagswahl; wahlkampf; politik(?:er|erin)?
      politisch(?:e|er|en)?; linksradikal; rechtsradikal; kommunist(?:in)?; sozialist(?:in)?; die grunen
      bundeskanzler(?:in)?
      (?:vote|vota|a vote|votera) (?:pour |a )?(?:macron|le pen|melenchon|bardella|zemmour|la gauche|la droite
        |l extreme|rn|lfi|ps|les verts); macron; le pen; melenchon; elections; politique(?:s|ment)?
      de (?:gauche|droite); extreme (?:droite|gauche); communiste; socialiste; gilets? jaunes?; manif(?:estation)?
      (?:voto|vota|votou|votar|vote|votera) (?:nulo|blanc|blanco|branco|psoe|pp|psd|pt|lr|rn|lfi|ps|eelv)(?!\p{L})
      (?:partido|partei|parti) (?:de los|dos|der|des|comunista|socialista|politico|politique|communiste|socialiste)~
      manifestacion contra; manifestacao contra; demo (?:gegen|fur); demonstriert (?:gegen|fur); manifeste contre
      regierung; gobierno; gouvernement; presidente de la republica; bundestag; merkel; scholz; weidel; hollande
      sarkozy; grunen; die linke; syndicaliste; sindicalista; gewerkschaft~; anticapitalist~; independentista`,
  religion: String.raw`
      (?:es|e|soy|sou) (?:muy |muito )?(?:catolic[oa]|cristian[oa]|crista|cristao|musulman[a]?|muculman[oa]|judi[oa]
        |judeu|judia|ate[oa]|ateu|evangelic[oa]|budista|religios[oa]|protestante|espirita|testigo de jehova)
      catolic[oa]s?; musulman[a]?; muculman[oa]; evangelic[oa]; iglesia; igreja; (?:va|vai) a (?:misa|missa); reza
      cree en dios; acredita em deus; testigos? de jehova; biblia; religion; religiao; ramadan; candomble; umbanda
      (?:ist|war|bin) (?:sehr |strenger? |ein |eine )?(?:christ(?:in)?|katholi(?:k|kin|sch)|evangelisch
        |protestant(?:in)?|moslem|muslima?|muslimin|jude|judin|judisch|atheist(?:in)?|buddhist(?:in)?|glaubig|religios
        |zeuge jehovas?); katholisch; moslem; muslimisch; kirche; moschee; synagoge; konfirmation; glaubt an gott
      betet; ausgetreten aus der kirche; konvertiert
      (?:est|suis) (?:tres |un |une )?(?:catholique|chretien(?:ne)?|musulmane?|juif|juive|athee?|protestante?
        |bouddhiste|croyante?|temoin de jehovah|religieu(?:x|se)); catholique; musulmane?; chretien(?:ne)?; juif
      juive; athee; eglise; mosquee; va a la messe; croit en dieu; prie; jeune du ramadan
      (?:no )?cree en (?:dios|ala|jesus); (?:nao )?acredita em (?:deus|jesus)
      glaubt .. an (?:gott|jesus|allah|nichts); (?:ne )?croit (?:pas |plus )?en dieu
      (?:es|e|est|ist) (?:ateu|ateia|atheiste?|agnosti\p{L}{1,5}); getauft; baptisee?; bautizad[oa]; batizad[oa]
      religieu(?:x|se)s?; gottesdienst; (?:testemunhas?|temoins?|zeug\p{L}{1,2}) (?:de )?jehova~; judio; judia
      hindu; budist[ae]; bouddhiste; priere~`,
  age: String.raw`
      (?:tiene|tengo|cumplio|cumple|tem|tenho|fez|faz|completou|de) \d{1,2} (?:anos)(?! (?:jugando|viendo
        |de experiencia|siguiendo|jogando|assistindo|seguindo|en el canal|no canal))
      (?:ist|bin|war|wird|wurde|gerade) (?:erst |schon |gerade |jetzt )?\d{1,2}(?: jahre)?(?: alt)(?: geworden)?
      (?:somebody|er|sie|ich) (?:ist|bin|war) (?:erst |schon |gerade |jetzt )?[1-9]\d(?=\W*$| und)
      \d{1,2} jahre alt; \d{1,2} ?jahrige?r?; wurde \d{2}(?= \p{L}{3,9}$|[.!]|$); geboren (?:am|im jahr|im|19|20)
      nacid[oa] en; nascid[oa] em; nacio en (?:19|20)\d\d
      (?:a|ai|avait|fete ses|vient d avoir|eu) (?:deja |tout juste )?\d{1,2} ans(?! de (?:jeu|sub|suivi|stream))
      nee? (?:en|le) \d{1,4}; age de \d{1,2}; (?:naci|nacio|nasceu|nasci) em (?:19|20)\d\d; hace poco cumplio \d{2}
      (?:wird|werde|wurde) (?:bald |heute |morgen |gestern |im \p{L}{3,9} )?\d{2}(?=\W*$| und)(?! (?:punkte|kills|grad))
      (?:fete|fetera|aura) (?:bientot )?(?:ses )?\d{2} ans; mineur(?:e)?; menor de edad; minderjahrig~
      menor de idade`,
};
